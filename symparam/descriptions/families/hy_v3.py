"""Hy3: many experts and shared ones after a dense layer, norms of query and key heads.

Source: model card of tencent/Hy3-preview; transformers, models/hy_v3.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import FUSED_EXPERTS, classes, slot
from symparam.descriptions.assembling.latent import sparse_ffn
from symparam.descriptions.assembling.mixture import (
    HARMLESS,
    depth_of,
    leave_out_mtp,
    mixture_model,
)
from symparam.descriptions.config import Config
from symparam.layout import entry
from symparam.model import Model

MODEL_TYPES = ("hy_v3",)
CLASSES = classes("HYV3")
DIMS = {
    "V": ("vocab_size", 120832), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 64), "n_kv": ("num_key_value_heads", 8),
    "d_head": ("head_dim", 128), "d_ff": ("intermediate_size", 13312),
    "n_experts": ("num_experts", "num_local_experts", 192), "top_k": ("num_experts_per_tok", 8),
    "n_shared": ("num_shared_experts", 1), "d_expert": ("moe_intermediate_size", 1536),
}
KINDS = {"dense": "dense", "sparse": "sparse"}
FURTHER = frozenset({"enable_moe_fp32_combine", "router_scaling_factor"})
NAMES = (*FUSED_EXPERTS, entry("*.ffn", "balance", ".e_score_correction_bias"))


def build(config: Config, name: str) -> Model:
    """A Hy3 from its configuration; biases of networks are those of dense and shared ones."""
    task = config.task(CLASSES, "causal")
    depth = depth_of(config, "num_hidden_layers", 80)
    values = config.dims(DIMS)
    pattern = config.kinds("mlp_layer_types", KINDS, depth, lambda i: "sparse" if i else "dense")
    attention = slot("attention", "gqa", bias=config.flag("attention_bias", False), qk_norm=True)
    bias = config.flag("mlp_bias", False)
    tied = config.flag("tie_word_embeddings", False)
    leave_out_mtp(config, "num_nextn_predict_layers", "num_mtp_layers")
    config.close(HARMLESS | FURTHER)
    return mixture_model(config, name, task, values, (attention,), sparse_ffn(bias=bias), pattern,
                         dense=(slot("ffn", "swiglu", bias=bias),), tied=tied, names=NAMES)
