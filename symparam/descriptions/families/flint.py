"""Flint: grouped queries with head norms and sinks; most layers with experts and a shared one.

Source: transformers, models/flint.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import FUSED_EXPERTS, classes, slot
from symparam.descriptions.assembling.mixture import HARMLESS, depth_of, mixture_model, numbers_in
from symparam.descriptions.assembling.windows import Sliding
from symparam.descriptions.config import Config
from symparam.layout import entry
from symparam.model import Model

MODEL_TYPES = ("flint",)
CLASSES = classes("Flint")
DIMS = {
    "V": ("vocab_size", 150144), "d_model": ("hidden_size", 2048),
    "n_heads": ("num_attention_heads", 32), "n_kv": ("num_key_value_heads", 4),
    "d_head": ("head_dim", 128), "d_ff": ("intermediate_size", 6144),
    "d_expert": ("moe_intermediate_size", 512), "top_k": ("num_experts_per_tok", 6),
    "d_shared": ("shared_expert_intermediate_size", 1024),
}
LAYER_TYPES = {"sliding_attention": "alike", "full_attention": "alike"}
NAMES = (*FUSED_EXPERTS, *(entry("*.ffn", f"S_{part}", f".shared_expert.{part}_proj.weight")
                           for part in ("gate", "up", "down")))
SLIDING = Sliding(default=513, rule=lambda _, depth: (
    i for i in range(2, depth - 1) if i % 4 != 1))


def build(config: Config, name: str) -> Model:
    """A Flint from its configuration: the first two layers are dense where nothing is said."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    depth = depth_of(config, "num_hidden_layers", 49)
    config.kinds("layer_types", LAYER_TYPES, depth, lambda _: "full_attention")
    attention = slot("attention", "gqa", bias=config.flag("attention_bias", False), qk_norm=True)
    pattern = _pattern(config, depth)
    if experts := config.number("num_experts", 256):
        values["n_experts"] = experts
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS)
    return mixture_model(config, name, task, values, (attention, slot("sinks", "learned")),
                         (slot("ffn", "moe", shared=True),), pattern, tied=tied, names=NAMES,
                         windows=SLIDING)


def _pattern(config: Config, depth: int) -> list[str]:
    """Every ``decoder_sparse_step``-th layer is sparse, unless it is listed as dense."""
    step = config.count_of("decoder_sparse_step", default=1)
    listed = numbers_in(config, "mlp_only_layers")
    dense = frozenset({0, 1}) if listed is None else listed
    none = config.number("num_experts", 256) == 0
    return ["dense" if none or number in dense or (number + 1) % step else "sparse"
            for number in range(depth)]
