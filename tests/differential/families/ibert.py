"""I-BERT."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.encoders import encoder


def ibert(draw: Draw) -> Config:
    """The encoder with pooler, or with its head; with integers or without."""
    config = encoder(draw, "IBertModel", "IBertForMaskedLM")
    draw.maybe(config, quant_mode=draw.flag(), force_dequant=draw.one_of("none", "gelu"))
    return config


DRAWN = {"ibert": ibert}
