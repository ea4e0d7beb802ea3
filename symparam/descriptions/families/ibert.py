"""I-BERT: RoBERTa that works with integers; what it keeps for that is no parameter.

Source: Kim et al. 2021, arXiv:2101.01321; transformers, models/ibert.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.encoder import (
    HARMLESS,
    LM_HEAD,
    Around,
    absolute_positions,
    encoder_model,
    layer,
    read_dims,
    tables,
)
from symparam.descriptions.config import Config
from symparam.model import Model

MODEL_TYPES = ("ibert",)
CLASSES = {"IBertModel": "base", "IBertForMaskedLM": "mlm"}
#: Whether it works with the integers, and in which parts not.
INTEGERS = frozenset({"force_dequant", "quant_mode"})


def build(config: Config, name: str) -> Model:
    """An I-BERT from its configuration; the encoder with pooler where no class is named."""
    task = config.task(CLASSES, "base")
    values = read_dims(config)
    tied = config.flag("tie_word_embeddings", True)
    absolute_positions(config)
    config.close(HARMLESS | INTEGERS)
    return encoder_model(
        config, name, task, values, (*layer(), slot("integers", "layer", "")),
        Around(top="ibert.", head=LM_HEAD), tied=tied,
        embedding=(*tables(), slot("integers", "tables", "")))
