"""Solar Open: GLM-4.5's mixture in every layer.

Source: Park et al. 2026, arXiv:2601.07022; transformers, models/solar_open.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import classes, slot
from symparam.descriptions.assembling.mixture import HARMLESS, mixture_model
from symparam.descriptions.config import Config
from symparam.model import Model

MODEL_TYPES = ("solar_open",)
CLASSES = classes("SolarOpen")
DIMS = {
    "V": ("vocab_size", 196608), "L": ("num_hidden_layers", 48), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 64), "n_kv": ("num_key_value_heads", 8),
    "d_head": ("head_dim", 128), "n_experts": ("n_routed_experts", "num_local_experts", 128),
    "top_k": ("num_experts_per_tok", 8), "n_shared": ("n_shared_experts", 1),
    "d_expert": ("moe_intermediate_size", 1280),
}
#: The width of dense layers is said, and there is none.
FURTHER = frozenset({"intermediate_size"})


def build(config: Config, name: str) -> Model:
    """A Solar Open from its configuration; biases are those of queries, keys and values."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    bias = ["qkv"] if config.flag("attention_bias", False) else []
    tied = config.flag("tie_word_embeddings", False)
    config.only("first_k_dense_replace", 0)
    config.only("use_qk_norm", False)
    config.close(HARMLESS | FURTHER)
    return mixture_model(config, name, task, values, (slot("attention", "gqa", bias=bias),),
                         (slot("ffn", "moe", balance=True, shared=True),), tied=tied)
