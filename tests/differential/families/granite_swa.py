"""Granite with sliding windows."""

from __future__ import annotations

from tests.differential.decoders import decoder, kinds
from tests.differential.draw import Config, Draw


def granite_swa(draw: Draw) -> Config:
    """Biases; kinds of attention; key-value heads null, or missing and then four."""
    config = decoder(draw, "GraniteSWA")
    draw.maybe(config, attention_bias=draw.flag(), mlp_bias=draw.flag(), sliding_window=64,
               embedding_multiplier=12.0, residual_multiplier=0.5)
    kinds(draw, config)
    if config.get("num_attention_heads", 20) % 4 == 0 and draw.flag():
        del config["num_key_value_heads"]
    elif draw.between(0, 3) == 0:
        config["num_key_value_heads"] = None
    return config


DRAWN = {"granite_swa": granite_swa}
