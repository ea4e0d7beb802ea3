"""ERNIE 4.5, the dense model: Llama's block with one switch for all biases, tied.

Source: Baidu-ERNIE-Team 2025, ERNIE 4.5 Technical Report; transformers, models/ernie4_5.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import classes, decoder_model, slot
from symparam.descriptions.assembling.mixture import with_head_width
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.model import Model

MODEL_TYPES = ("ernie4_5",)
CLASSES = classes("Ernie4_5")
DIMS = {
    "V": ("vocab_size", 103424), "L": ("num_hidden_layers", 18), "d_model": ("hidden_size", 1024),
    "n_heads": ("num_attention_heads", 16), "d_ff": ("intermediate_size", 3072),
    "n_kv": ("num_key_value_heads", 2), "d_head": ("head_dim", 128),
}
HARMLESS = NO_TABLE | {"compression_ratio"}


def build(config: Config, name: str) -> Model:
    """A dense ERNIE 4.5 from its configuration; null heads and widths follow by their rules."""
    task = config.task(CLASSES, "causal")
    values = with_head_width(config.dims(DIMS, nullable=("n_kv", "d_head")))
    bias = config.flag("use_bias", False)
    tied = config.flag("tie_word_embeddings", True)
    config.close(HARMLESS)
    norm = find("norm", "rmsnorm")()
    block = (slot("attention", "gqa", bias=bias), slot("ffn", "swiglu", bias=bias),
             *norm_slots(norm, 2))
    return decoder_model(config, name, task, values, block, final_norm=norm, tied=tied)
