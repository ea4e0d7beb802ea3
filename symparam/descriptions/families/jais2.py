"""Jais 2: LayerNorm, rotary positions, a two-matrix MLP with squared ReLU, biases.

Source: model cards of inceptionai/Jais-2-8B-Chat and -70B-Chat; transformers, models/jais2.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import classes, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.model import Model

MODEL_TYPES = ("jais2",)
CLASSES = classes("Jais2")
DIMS = {
    "V": ("vocab_size", 150272), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 3328),
    "n_heads": ("num_attention_heads", 26), "d_ff": ("intermediate_size", 26624),
    "n_kv": ("num_key_value_heads", None), "d_head": ("head_dim", None),
}


def build(config: Config, name: str) -> Model:
    """A Jais 2 from its configuration."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    attention = slot("attention", "gqa", bias=config.flag("attention_bias", True))
    ffn = slot("ffn", "mlp", bias=config.flag("mlp_bias", True))
    tied = config.flag("tie_word_embeddings", False)
    config.close(NO_TABLE)
    norm = find("norm", "layernorm")()
    return decoder_model(config, name, task, values, (attention, ffn, *norm_slots(norm, 2)),
                         final_norm=norm, tied=tied)
