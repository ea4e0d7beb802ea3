"""Megatron-BERT: BERT with its norms before each part and one after the last layer.

Source: Shoeybi et al. 2019, arXiv:1909.08053, section 5.3; transformers, models/megatron_bert.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import slot
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
from symparam.model import Model

MODEL_TYPES = ("megatron-bert",)
CLASSES = {"MegatronBertModel": "base", "MegatronBertForMaskedLM": "mlm",
           "MegatronBertForCausalLM": "causal"}
DEFAULTS = {"V": 29056, "L": 24, "d_model": 1024, "n_heads": 16, "d_ff": 4096}


def build(config: Config, name: str) -> Model:
    """A Megatron-BERT from its configuration; the encoder with pooler where no class is named."""
    task = config.task(CLASSES, "base")
    values = read_dims(config, DEFAULTS)
    tied = config.flag("tie_word_embeddings", True)
    absolute_positions(config)
    config.close(HARMLESS)
    return encoder_model(config, name, task, values, layer(norms=("attention.ln.", "ln.")),
                         Around(), tied=tied, embedding=tables(norm=None),
                         after=(slot("norm", "layernorm", "encoder.ln."),))
