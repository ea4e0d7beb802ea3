"""Cohere's mixture: attention and experts side by side behind one norm.

Source: transformers, models/cohere2_moe.
"""

from __future__ import annotations

from collections.abc import Iterator

from symparam.components import find
from symparam.descriptions.assembling.assemble import classes, slot
from symparam.descriptions.assembling.latent import mlp_kinds
from symparam.descriptions.assembling.mixture import HARMLESS, depth_of, mixture_model
from symparam.descriptions.assembling.windows import Sliding
from symparam.descriptions.config import Config
from symparam.descriptions.options import norm_slots
from symparam.model import Model

MODEL_TYPES = ("cohere2_moe",)
CLASSES = classes("Cohere2Moe")
DIMS = {
    "V": ("vocab_size", 256000), "d_model": ("hidden_size", 8192),
    "n_heads": ("num_attention_heads", 64), "n_kv": ("num_key_value_heads", None),
    "d_head": ("head_dim", 128), "d_expert": ("intermediate_size", 22528),
    "d_ff": ("prefix_dense_intermediate_size", None), "n_experts": ("num_experts", 8),
    "top_k": ("num_experts_per_tok", 2),
}
FURTHER = frozenset("""
    expert_selection_fn logit_scale prefix_dense_sliding_window_pattern
    shared_expert_combination_strategy sliding_window_pattern
""".split())
SLIDING = Sliding(default=4096, rule=lambda config, depth: _slide(config, depth))


def build(config: Config, name: str) -> Model:
    """A mixture of Cohere's from its configuration; a dense layer may be as wide as an expert."""
    task = config.task(CLASSES, "causal")
    depth = depth_of(config, "num_hidden_layers", 40)
    values = config.dims(DIMS)
    values.setdefault("d_ff", values["d_expert"])
    pattern = mlp_kinds(config, depth, 0)
    if shared := config.number("num_shared_experts", 0):
        values["n_shared"] = shared
    kind = "layernorm-gain" if config.raw("rms_norm_eps", None) is None else "rmsnorm"
    attention = slot("attention", "gqa", bias=config.flag("attention_bias", False))
    tied = config.flag("tie_word_embeddings", True)
    config.close(HARMLESS | FURTHER)
    return mixture_model(config, name, task, values, (attention,),
                         (slot("ffn", "moe", shared=bool(shared)),), pattern, norm=kind,
                         norms=norm_slots(find("norm", kind)(), 1), tied=tied, windows=SLIDING)


def _slide(config: Config, depth: int) -> Iterator[int]:
    """The layers that slide: a period for the dense ones in front, another for the rest."""
    dense = min(config.number("first_k_dense_replace", 0), depth)
    first = config.count_of("prefix_dense_sliding_window_pattern", default=1)
    rest = config.count_of("sliding_window_pattern", default=4)
    yield from (i for i in range(dense) if (i + 1) % first)
    yield from (dense + i for i in range(depth - dense) if (i + 1) % rest)
