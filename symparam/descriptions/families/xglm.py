"""XGLM: a multilingual decoder with sinusoidal positions, which are computed and not stored.

Source: Lin et al. 2021, arXiv:2112.10668; transformers, models/xglm.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import Places, classes, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.layout import entries
from symparam.model import Model

MODEL_TYPES = ("xglm",)
CLASSES = classes("XGLM")
DIMS = {
    "V": ("vocab_size", 256008), "L": ("num_layers", "num_hidden_layers", 24),
    "d_model": ("d_model", "hidden_size", 1024),
    "n_heads": ("attention_heads", "num_attention_heads", 16), "d_ff": ("ffn_dim", 4096),
}
PLACES = Places(final_norm="layer_norm.")
NAMES = (*entries("*.attention", O="out_proj"), *entries("*.ffn", up="fc1", down="fc2"))


def build(config: Config, name: str) -> Model:
    """An XGLM from its configuration."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    tied = config.flag("tie_word_embeddings", True)
    config.only("add_cross_attention", False)
    config.close(NO_TABLE)
    block = (slot("attention", "mha", bias=True), slot("ffn", "mlp", "", bias=True),
             slot("norms.attention", "layernorm", "self_attn_layer_norm."),
             slot("norms.ffn", "layernorm", "final_layer_norm."))
    return decoder_model(config, name, task, values, block, tied=tied, positions="sinusoidal",
                         final_norm=find("norm", "layernorm")(), places=PLACES, names=NAMES)
