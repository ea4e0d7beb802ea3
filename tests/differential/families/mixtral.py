"""Mixtral."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.mixture import decoder, default_heads, experts


def mixtral(draw: Draw) -> Config:
    """Experts under both names; a head width of its own, or null."""
    config = default_heads(decoder(draw, "Mixtral", width=True), 24, 8)
    if "head_dim" not in config:
        draw.maybe(config, head_dim=None)
    draw.maybe(config, sliding_window=draw.one_of(None, 7))
    if draw.flag():
        config = experts(draw, config, "num_local_experts", "num_experts")
    return config


DRAWN = {"mixtral": mixtral}
