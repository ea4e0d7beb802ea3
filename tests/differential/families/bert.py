"""BERT."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.encoders import decoder_too, encoder


def bert(draw: Draw) -> Config:
    """With the pooler, or a head that is tied or not."""
    return decoder_too(draw, encoder(draw, "BertModel", "BertForMaskedLM", "BertLMHeadModel"))


DRAWN = {"bert": bert}
