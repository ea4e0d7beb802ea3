"""CTRL: a decoder steered by control codes; sinusoidal positions, a head with a bias.

Source: Keskar et al. 2019, arXiv:1909.05858; transformers, models/ctrl.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import Places, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE, SUMMARY
from symparam.layout import entries
from symparam.model import Model

MODEL_TYPES = ("ctrl",)
CLASSES = {"CTRLLMHeadModel": "causal", "CTRLModel": "base"}
DIMS = {
    "V": ("vocab_size", 246534), "L": ("n_layer", "num_hidden_layers", 48),
    "d_model": ("n_embd", "hidden_size", 1280), "n_heads": ("n_head", "num_attention_heads", 16),
    "d_ff": ("dff", 8192),
}
HARMLESS = NO_TABLE | SUMMARY | {"n_ctx", "n_positions"}
PLACES = Places(top="transformer.", token="w.", layers="h.*.", final_norm="layernorm.")
NAMES = (*entries("*.attention", Q="Wq", K="Wk", V="Wv", O="dense"),
         *entries("*.ffn", up="0", down="2"))


def build(config: Config, name: str) -> Model:
    """A CTRL from its configuration."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    tied = config.flag("tie_word_embeddings", True)
    config.close(HARMLESS)
    block = (slot("attention", "mha", "multi_head_attention.", bias=True),
             slot("ffn", "mlp", "ffn.", bias=True),
             slot("norms.attention", "layernorm", "layernorm1."),
             slot("norms.ffn", "layernorm", "layernorm2."))
    return decoder_model(config, name, task, values, block, tied=tied, head_bias=True,
                         positions="sinusoidal", final_norm=find("norm", "layernorm")(),
                         places=PLACES, names=NAMES)
