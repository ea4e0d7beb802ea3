"""GLM-4 and GLM-4-0414."""

from __future__ import annotations

from tests.differential.decoders import decoder
from tests.differential.draw import Config, Draw


def glm(draw: Draw) -> Config:
    """Two norms a block."""
    return _drawn(draw, "Glm")


def glm4(draw: Draw) -> Config:
    """Four norms a block."""
    return _drawn(draw, "Glm4")


def _drawn(draw: Draw, stem: str) -> Config:
    """Biases of QKV; key-value heads and head width by the family's defaults."""
    config = decoder(draw, stem)
    draw.maybe(config, attention_bias=draw.flag(), rms_norm_eps=1e-6, partial_rotary_factor=0.25)
    if config.get("num_attention_heads", 32) % 2 == 0 and draw.flag():
        del config["num_key_value_heads"]
    return config


DRAWN = {"glm": glm, "glm4": glm4}
