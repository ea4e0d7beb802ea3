"""GPT-J: rotary positions, one LayerNorm for attention and FFN side by side, a head with a bias.

Source: Wang and Komatsuzaki 2021, github.com/kingoflolz/mesh-transformer-jax; transformers,
models/gptj.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import Places, classes, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE, SUMMARY
from symparam.layout import entries
from symparam.model import Model

MODEL_TYPES = ("gptj",)
CLASSES = classes("GPTJ")
DIMS = {
    "V": ("vocab_size", 50400), "L": ("n_layer", "num_hidden_layers", 28),
    "d_model": ("n_embd", "hidden_size", 4096), "n_heads": ("n_head", "num_attention_heads", 16),
    "d_ff": ("n_inner", None),
}
HARMLESS = NO_TABLE | SUMMARY | frozenset("n_ctx n_positions rotary_dim".split())
PLACES = Places(top="transformer.", token="wte.", layers="h.*.", final_norm="ln_f.")
NAMES = (*entries("*.attention", O="out_proj"), *entries("*.ffn", up="fc_in", down="fc_out"))


def build(config: Config, name: str) -> Model:
    """A GPT-J from its configuration: n_inner missing means 4·d_model, as a rule."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    tied = config.flag("tie_word_embeddings", False)
    config.only("rotary", True)
    config.close(HARMLESS)
    block = (slot("attention", "mha", "attn."), slot("ffn", "mlp", bias=True),
             slot("norms.input", "layernorm", "ln_1."))
    return decoder_model(config, name, task, values, block, tied=tied, head_bias=True,
                         final_norm=find("norm", "layernorm")(), places=PLACES, names=NAMES)
