"""Apertus: RMSNorm, also on query and key heads, and a two-matrix MLP whose activation is learned.

Source: Hernández-Cano et al. 2025, arXiv:2509.14233, section 2; transformers, models/apertus.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import classes, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.model import Model

MODEL_TYPES = ("apertus",)
CLASSES = classes("Apertus")
DIMS = {
    "V": ("vocab_size", 131072), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 32), "d_ff": ("intermediate_size", 14336),
    "n_kv": ("num_key_value_heads", None), "d_head": ("head_dim", None),
}


def _learned(config: Config) -> bool:
    """Whether the activation has weights: xIELU has, and is what a missing key means."""
    activation = config.text("hidden_act", "xielu")
    if activation == "prelu":
        raise config.error("hidden_act", "prelu is an activation with a weight of its own, which "
                           "is not understood in apertus")
    return activation == "xielu"


def build(config: Config, name: str) -> Model:
    """An Apertus from its configuration."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    bias = config.flag("attention_bias", False)
    tied = config.flag("tie_word_embeddings", False)
    for key, value in (("post_norm", False), ("qk_norm", True), ("mlp_bias", False)):
        config.only(key, value)  # on the Hub; the code always does what they say there
    learned = _learned(config)
    config.close(NO_TABLE)
    norm = find("norm", "rmsnorm")()
    block = (slot("attention", "gqa", bias=bias, qk_norm=True), slot("ffn", "mlp"),
             *([slot("activation", "xielu")] if learned else []),
             slot("norms.attention", "rmsnorm", "attention_layernorm."),
             slot("norms.ffn", "rmsnorm", "feedforward_layernorm."))
    return decoder_model(config, name, task, values, block, final_norm=norm, tied=tied)
