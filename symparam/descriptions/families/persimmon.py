"""Persimmon: LayerNorms, on each query and key head too; squared ReLU, biases, fused QKV.

Source: Elsen et al. 2023, Adept, "Releasing Persimmon-8B"; transformers, models/persimmon.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import Places, classes, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.layout import entries
from symparam.model import Model

MODEL_TYPES = ("persimmon",)
CLASSES = classes("Persimmon")
DIMS = {
    "V": ("vocab_size", 262144), "L": ("num_hidden_layers", 36), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 64), "d_ff": ("intermediate_size", 16384),
}
PLACES = Places(final_norm="final_layernorm.")
NAMES = (*entries("*.attention", Q_K_V="query_key_value", O="dense"),
         *entries("*.ffn", up="dense_h_to_4h", down="dense_4h_to_h"))


def build(config: Config, name: str) -> Model:
    """A Persimmon from its configuration: every linear map has a bias but the head."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    head_norms = config.flag("qk_layernorm", True)
    tied = config.flag("tie_word_embeddings", False)
    config.close(NO_TABLE)
    norm = find("norm", "layernorm")()
    block = (slot("attention", "mha", bias=True),
             *([slot("qk-norm", "shared", shift=True)] if head_norms else []),
             slot("ffn", "mlp", bias=True), *norm_slots(norm, 2))
    return decoder_model(config, name, task, values, block, final_norm=norm, tied=tied,
                         places=PLACES, names=NAMES)
