"""DiffLlama: Llama with differential attention, two softmaxes of which one is subtracted.

Source: Ye et al. 2024, arXiv:2410.05258; transformers, models/diffllama.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import classes, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.model import Model

MODEL_TYPES = ("diffllama",)
CLASSES = classes("DiffLlama")
DIMS = {
    "V": ("vocab_size", 32000), "L": ("num_hidden_layers", 16), "d_model": ("hidden_size", 2048),
    "n_heads": ("num_attention_heads", 32), "d_ff": ("intermediate_size", 8192),
    "n_kv": ("num_key_value_heads", None), "d_head": ("head_dim", None),
}
HARMLESS = NO_TABLE | {"lambda_std_dev"}


def build(config: Config, name: str) -> Model:
    """A DiffLlama from its configuration: the norm behind its heads has no weights."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    bias = config.flag("attention_bias", False)
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS)
    norm = find("norm", "rmsnorm")()
    block = (slot("attention", "gqa", bias=bias), slot("differential", "lambda"),
             slot("ffn", "swiglu"), *norm_slots(norm, 2))
    return decoder_model(config, name, task, values, block, final_norm=norm, tied=tied)
