"""Nemotron."""

from __future__ import annotations

from tests.differential.decoders import decoder
from tests.differential.draw import Config, Draw


def nemotron(draw: Draw) -> Config:
    """Biases of the attention and of the MLP; a head width of its own, missing or null."""
    config = decoder(draw, "Nemotron")
    draw.maybe(config, attention_bias=draw.flag(), mlp_bias=draw.flag(), norm_eps=1e-6,
               partial_rotary_factor=0.25)
    if "head_dim" not in config:
        draw.maybe(config, head_dim=None)
    return config


DRAWN = {"nemotron": nemotron}
