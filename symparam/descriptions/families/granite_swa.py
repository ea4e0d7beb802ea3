"""Granite with sliding windows: Llama's block with a sink for each head.

Source: transformers, models/granite_swa.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import classes, decoder_model, slot
from symparam.descriptions.assembling.windows import Sliding, all_but_every
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.model import Model

MODEL_TYPES = ("granite_swa",)
CLASSES = classes("GraniteSWA")
DIMS = {
    "V": ("vocab_size", 100352), "L": ("num_hidden_layers", 24), "d_model": ("hidden_size", 2560),
    "n_heads": ("num_attention_heads", 20), "d_ff": ("intermediate_size", 8192),
    "n_kv": ("num_key_value_heads", 4), "d_head": ("head_dim", None),
}
HARMLESS = NO_TABLE | {"layer_rope_theta", "sliding_window"}
LAYER_TYPES = {"sliding_attention": "alike", "full_attention": "alike"}
SLIDING = Sliding(default=128, rule=all_but_every(4, 0))


def build(config: Config, name: str) -> Model:
    """A Granite of this kind from its configuration: all layers have the same weights."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS, nullable=("n_kv",))
    attention = slot("attention", "gqa", bias=config.flag("attention_bias", False))
    ffn = slot("ffn", "swiglu", bias=config.flag("mlp_bias", False))
    tied = config.flag("tie_word_embeddings", True)
    config.kinds("layer_types", LAYER_TYPES, values["L"], lambda _: "full_attention")
    config.close(HARMLESS)
    norm = find("norm", "rmsnorm")()
    block = (attention, slot("sinks", "learned"), ffn, *norm_slots(norm, 2))
    return decoder_model(config, name, task, values, block, final_norm=norm, tied=tied,
                         windows=SLIDING)
