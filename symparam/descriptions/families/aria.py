"""Aria, its language model: a mixture in every layer, experts in transposed storage.

Source: Li et al. 2024, arXiv:2410.05993, section 2; transformers, models/aria.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import classes, slot
from symparam.descriptions.assembling.latent import sparse_ffn
from symparam.descriptions.assembling.mixture import HARMLESS, mixture_model
from symparam.descriptions.config import Config
from symparam.layout import entry
from symparam.model import Model

MODEL_TYPES = ("aria_text",)
CLASSES = classes("AriaText")
DIMS = {
    "V": ("vocab_size", 32000), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 32), "n_kv": ("num_key_value_heads", None),
    "d_head": ("head_dim", None), "d_expert": ("intermediate_size", 4096),
    "n_experts": ("moe_num_experts", 8), "top_k": ("moe_topk", 2),
    "n_shared": ("moe_num_shared_experts", 2),
}
NAMES = (
    entry("*.ffn", "W_router", ".router.weight"),
    entry("*.ffn", "X_gate X_up", ".experts.gate_up_proj", transposed=True),
    entry("*.ffn", "X_down", ".experts.down_proj", transposed=True),
)


def build(config: Config, name: str) -> Model:
    """The language model of an Aria; biases of networks are those of the shared experts."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    attention = slot("attention", "gqa", bias=config.flag("attention_bias", False))
    sparse = sparse_ffn(balance=False, bias=config.flag("mlp_bias", False))
    tied = config.flag("tie_word_embeddings", False)
    config.only("moe_intermediate_size", None, values["d_expert"])
    config.close(HARMLESS)
    return mixture_model(config, name, task, values, (attention,), sparse, tied=tied, names=NAMES)
