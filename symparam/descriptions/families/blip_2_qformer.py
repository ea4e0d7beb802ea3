"""BLIP-2's Q-Former: BERT's layers over learned questions, every second one of which looks at what
a tower put out; a network of their own for texts, where it reads them.

Source: Li et al. 2023, arXiv:2301.12597, section 3.1; transformers, models/blip_2.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import Block, slot
from symparam.descriptions.assembling.pictures import picture_encoder
from symparam.descriptions.config import Config
from symparam.layout import entries
from symparam.model import Model

MODEL_TYPES = ("blip_2_qformer",)
CLASSES = {"Blip2QFormerModel": "base"}
DIMS = {"d_model": ("hidden_size", 768), "d_ff": ("intermediate_size", 3072),
        "L": ("num_hidden_layers", 12), "n_heads": ("num_attention_heads", 12),
        "d_encoder": ("encoder_hidden_size", 1408)}
#: A Q-Former has no table of tokens or positions: a model around it may.
HARMLESS = frozenset({"vocab_size", "max_position_embeddings", "position_embedding_type"})
UNSET = "is a Q-Former, and what it multiplies for a picture or a sound is not worked out"
NAMES = (
    *entries("*.attention", Q="attention.query", K="attention.key", V="attention.value",
             O="output.dense"),
    *entries("*.cross_attention", Q="attention.query", K="attention.key", V="attention.value",
             O="output.dense"),
    *entries("*.ffn.questions", up="intermediate_query.dense", down="output_query.dense"))
TEXT_NAMES = entries("*.ffn.text", up="intermediate.dense", down="output.dense")


def build(config: Config, name: str) -> Model:
    """The Q-Former from its configuration."""
    config.task(CLASSES, "base")
    values = config.dims(DIMS)
    every = config.count_of("cross_attention_frequency", default=2)
    reads = config.flag("use_qformer_text_input", False)
    config.close(HARMLESS)
    pattern = ["plain" if number % every else "crossed" for number in range(values["L"])]
    return picture_encoder(
        config, name, values, {"crossed": _layer(True, reads), "plain": _layer(False, reads)},
        "encoder.layer.*.", pattern=pattern, before=(),
        norm_before=(slot("norm", "layernorm", "layernorm."),),
        names=NAMES if not reads else (*NAMES, *TEXT_NAMES), unset=UNSET)


def _layer(crossed: bool, reads: bool) -> Block:
    """A layer, each part followed by its norm."""
    look = (slot("cross_attention", "mha", "crossattention.", kind="cross-attention", bias=True),
            slot("norms.cross_attention", "layernorm", "crossattention.output.LayerNorm."))
    text = (slot("ffn.text", "mlp", "", bias=True),
            slot("norms.text", "layernorm", "output.LayerNorm."))
    return (slot("attention", "mha", "attention.", bias=True),
            slot("norms.attention", "layernorm", "attention.output.LayerNorm."),
            *(look if crossed else ()), *(text if reads else ()),
            slot("ffn.questions", "mlp", "", bias=True),
            slot("norms.questions", "layernorm", "output_query.LayerNorm."))
