"""BERT for generation: BERT without segments and pooler, and a decoder whose head is one matrix.

Source: Rothe, Narayan and Severyn 2019, arXiv:1907.12461; transformers, models/bert_generation.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.encoder import DIMS as ENCODER_DIMS
from symparam.descriptions.assembling.encoder import (
    HARMLESS,
    Around,
    absolute_positions,
    encoder_model,
    layer,
    read_dims,
    tables,
)
from symparam.descriptions.config import Config
from symparam.layout import Entry, entry
from symparam.model import Model
from symparam.stack import Stack

MODEL_TYPES = ("bert-generation",)
CLASSES = {"BertGenerationEncoder": "base", "BertGenerationDecoder": "causal"}
DIMS = {dim: keys for dim, keys in ENCODER_DIMS.items() if dim != "n_types"}
DEFAULTS = {"V": 50358, "L": 24, "d_model": 1024, "n_heads": 16, "d_ff": 4096}


class PlainHead:
    """The output matrix with its bias, nothing before it."""

    def stack(self, tied: bool) -> Stack:
        """The head's slot."""
        return Stack("head", (slot("lm", "mlm", "lm_head.", kind="head", tied=tied, bias=True),))

    def names(self, tied: bool) -> list[Entry]:
        """The names of its tensors: those of its component."""
        return [entry("head.lm", "b_U", ".bias")]


def build(config: Config, name: str) -> Model:
    """One of them from its configuration; the encoder where no class is named."""
    task = config.task(CLASSES, "base")
    values = read_dims(config, DEFAULTS, DIMS)
    tied = config.flag("tie_word_embeddings", True)
    absolute_positions(config)
    config.close(HARMLESS)
    return encoder_model(config, name, task, values, layer(),
                         Around(pooler=None, head=PlainHead()), tied=tied,
                         embedding=tables(segments=False))
