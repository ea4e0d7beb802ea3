"""BERT: an encoder with segment embeddings, norms after each part, and a pooler or an LM head.

Source: Devlin et al. 2018, arXiv:1810.04805; google-research/bert; transformers, models/bert.
"""

from __future__ import annotations

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

MODEL_TYPES = ("bert",)
CLASSES = {"BertModel": "base", "BertForMaskedLM": "mlm", "BertLMHeadModel": "causal"}
MORE_HARMLESS = frozenset("""
    directionality pooler_fc_size pooler_num_attention_heads pooler_num_fc_layers
    pooler_size_per_head pooler_type
""".split())


def build(config: Config, name: str) -> Model:
    """A BERT from its configuration; the encoder with pooler unless its class says otherwise."""
    task = config.task(CLASSES, "base")
    values = read_dims(config)
    tied = config.flag("tie_word_embeddings", True)
    absolute_positions(config)
    config.close(HARMLESS | MORE_HARMLESS)
    return encoder_model(config, name, task, values, layer(), Around(), tied=tied,
                         embedding=tables())
