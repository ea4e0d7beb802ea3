"""Moshi's language model."""

from __future__ import annotations

from tests.differential.decoders import all_heads, decoder
from tests.differential.draw import Config, Draw


def moshi(draw: Draw) -> Config:
    """Gate and up in one matrix."""
    config = all_heads(draw, decoder(draw, "Moshi"))
    config.pop("tie_word_embeddings", None)
    config.pop("intermediate_size", None)
    draw.maybe(config, ffn_dim=draw.size(2), num_codebooks=8, sliding_window=draw.prime())
    return config


DRAWN = {"moshi": moshi}
