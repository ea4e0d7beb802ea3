"""Beam: gated attention with a bias a head, four norms a layer, experts after dense layers.

Source: transformers, models/beam.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import classes, slot
from symparam.descriptions.assembling.mixture import HARMLESS, depth_of, mixture_model
from symparam.descriptions.assembling.windows import Sliding
from symparam.descriptions.config import Config
from symparam.descriptions.options import norm_slots
from symparam.model import Model

MODEL_TYPES = ("beam",)
CLASSES = classes("Beam")
DIMS = {
    "V": ("vocab_size", 151936), "d_model": ("hidden_size", 5120),
    "n_heads": ("num_attention_heads", 48), "n_kv": ("num_key_value_heads", 8),
    "d_head": ("head_dim", 128), "d_ff": ("intermediate_size", 20480),
    "n_experts": ("num_experts", 256), "top_k": ("num_experts_per_tok", 8),
    "d_expert": ("moe_intermediate_size", 2560),
}
KINDS = {"dense": "dense", "sparse": "sparse"}
SLIDING = Sliding(default=512, rule=lambda _, depth: (
    i for i in range(depth - 1) if (i + 1) % 6))


def build(config: Config, name: str) -> Model:
    """A Beam from its configuration: three dense layers unless it lists them."""
    task = config.task(CLASSES, "causal")
    depth = depth_of(config, "num_hidden_layers", 52)
    values = config.dims(DIMS)
    pattern = config.kinds("mlp_layer_types", KINDS, depth,
                           lambda i: "dense" if i < 3 else "sparse")
    attention = slot("attention", "gqa", bias=config.flag("attention_bias", False), qk_norm=True)
    gate = slot("output_gate", "numbers", kind="output-gate", head_bias=True)
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS)
    return mixture_model(config, name, task, values, (attention, gate),
                         (slot("ffn", "moe", balance=True),), pattern,
                         norms=norm_slots(find("norm", "rmsnorm")(), 4), tied=tied, windows=SLIDING)
