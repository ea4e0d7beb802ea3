"""Persimmon."""

from __future__ import annotations

from tests.differential.decoders import decoder
from tests.differential.draw import Config, Draw


def persimmon(draw: Draw) -> Config:
    """With norms of heads and without."""
    config = decoder(draw, "Persimmon", free=False, grouped=False)
    draw.maybe(config, qk_layernorm=draw.flag(), hidden_dropout=0.1, layer_norm_eps=1e-6,
               partial_rotary_factor=0.25)
    return config


DRAWN = {"persimmon": persimmon}
