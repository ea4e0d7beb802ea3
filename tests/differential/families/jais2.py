"""Jais 2."""

from __future__ import annotations

from tests.differential.decoders import all_heads, decoder
from tests.differential.draw import Config, Draw


def jais2(draw: Draw) -> Config:
    """Biases of the attention and of the MLP; a head width of its own, missing or null."""
    config = decoder(draw, "Jais2")
    draw.maybe(config, attention_bias=draw.flag(), mlp_bias=draw.flag(), layer_norm_eps=1e-6)
    if "head_dim" not in config:
        draw.maybe(config, head_dim=None)
    return all_heads(draw, config)


DRAWN = {"jais2": jais2}
