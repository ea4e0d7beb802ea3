"""BLOOM: linear biases for positions, a norm behind the embedding, QKV in one tensor.

Source: BigScience Workshop 2022, arXiv:2211.05100; transformers, models/bloom.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import Places, classes, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.options import norm_slots
from symparam.layout import entries
from symparam.model import Model

MODEL_TYPES = ("bloom",)
CLASSES = classes("Bloom")
DIMS = {
    "V": ("vocab_size", 250880), "L": ("n_layer", "num_hidden_layers", 2),
    "d_model": ("hidden_size", "n_embed", 64), "n_heads": ("n_head", "num_attention_heads", 8),
}
HARMLESS = frozenset("""
    apply_residual_connection_post_layernorm bias_dropout_fusion masked_softmax_fusion offset_alibi
    seq_length skip_bias_add skip_bias_add_qkv slow_but_exact
""".split())
PLACES = Places(top="transformer.", token="word_embeddings.", layers="h.*.", final_norm="ln_f.")
NAMES = (*entries("*.attention", Q_K_V="query_key_value", O="dense"),
         *entries("*.ffn", up="dense_h_to_4h", down="dense_4h_to_h"))


def build(config: Config, name: str) -> Model:
    """A BLOOM from its configuration: d_ff is four times the width, and no key says otherwise."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    tied = config.flag("tie_word_embeddings", True)
    config.only("n_inner", None)
    config.close(HARMLESS)
    norm = find("norm", "layernorm")()
    block = (slot("attention", "mha", "self_attention.", bias=True), slot("ffn", "mlp", bias=True),
             *norm_slots(norm, 2))
    return decoder_model(config, name, task, values, block, tied=tied, final_norm=norm,
                         positions="alibi", places=PLACES, names=NAMES,
                         embedding=(slot("norm", "layernorm", "word_embeddings_layernorm."),))
