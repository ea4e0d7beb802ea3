"""JetMoE: experts in attention as in the feed-forward network.

Source: Shen et al. 2024, arXiv:2404.07413; transformers, models/jetmoe.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import classes, slot
from symparam.descriptions.assembling.mixture import HARMLESS, mixture_model
from symparam.descriptions.config import Config
from symparam.layout import entry
from symparam.model import Model

MODEL_TYPES = ("jetmoe",)
CLASSES = classes("JetMoe")
DIMS = {
    "V": ("vocab_size", 32000), "L": ("num_hidden_layers", 12), "d_model": ("hidden_size", 2048),
    "n_kv": ("num_key_value_heads", 16), "d_head": ("kv_channels", "head_dim", 128),
    "d_expert": ("intermediate_size", 5632), "n_experts": ("num_local_experts", 8),
    "top_k": ("num_experts_per_tok", 2),
}
FURTHER = frozenset({"aux_loss_coef"})
NAMES = (
    entry("*.attention", "X_Q", ".experts.input_linear.weight"),
    entry("*.attention", "X_O", ".experts.output_linear.weight"),
    entry("*.attention", "W_K W_V", ".kv_proj.weight"),
    entry("*.ffn", "W_router", ".router.layer.weight"),
    entry("*.ffn", "X_gate X_up", ".input_linear.weight"),
    entry("*.ffn", "X_down", ".output_linear.weight"),
)


def build(config: Config, name: str) -> Model:
    """A JetMoE from its configuration; query heads are key-value heads times experts used."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    config.only("num_attention_heads", values["n_kv"] * values["top_k"])
    tied = config.flag("tie_word_embeddings", True)
    config.close(HARMLESS | FURTHER)
    sparse = slot("ffn", "moe"), slot("output_bias", "sum", kind="output-bias")
    return mixture_model(config, name, task, values, (slot("attention", "moa"),), sparse,
                         tied=tied, names=NAMES)
