"""Nemotron-4 and Minitron: squared ReLU between two matrices, LayerNorm, grouped queries, untied.

Its LayerNorm adds one to the gain; that is a value, not a weight more.

Source: Parmar et al. 2024, arXiv:2402.16819; Muralidharan et al. 2024, arXiv:2407.14679;
transformers, models/nemotron.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import classes, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.model import Model

MODEL_TYPES = ("nemotron",)
CLASSES = classes("Nemotron")
DIMS = {
    "V": ("vocab_size", 256000), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 6144),
    "n_heads": ("num_attention_heads", 48), "d_ff": ("intermediate_size", 24576),
    "d_head": ("head_dim", None),
}
HARMLESS = NO_TABLE | {"rope_percent", "rope_percentage"}


def build(config: Config, name: str) -> Model:
    """A Nemotron from its configuration, which has to say how many key-value heads there are.

    The family's code takes no rule for them where they are missing: it cannot be built then.
    """
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS) | {"n_kv": config.count_of("num_key_value_heads")}
    attention = slot("attention", "gqa", bias=config.flag("attention_bias", False))
    ffn = slot("ffn", "mlp", bias=config.flag("mlp_bias", False))
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS)
    norm = find("norm", "layernorm")()
    return decoder_model(config, name, task, values, (attention, ffn, *norm_slots(norm, 2)),
                         final_norm=norm, tied=tied)
