"""EXAONE 4.0."""

from __future__ import annotations

from tests.differential.decoders import decoder, kinds
from tests.differential.draw import Config, Draw


def exaone4(draw: Draw) -> Config:
    """Local and global layers; a head width of its own or not."""
    config = decoder(draw, "Exaone4")
    draw.maybe(config, rms_norm_eps=1e-6, sliding_window=128,
               sliding_window_pattern=draw.one_of(1, 4))
    kinds(draw, config)
    if "num_attention_heads" not in config and draw.flag():
        del config["num_key_value_heads"]
    return config


DRAWN = {"exaone4": exaone4}
