"""BitNet b1.58."""

from __future__ import annotations

from tests.differential.decoders import decoder
from tests.differential.draw import Config, Draw


def bitnet(draw: Draw) -> Config:
    """Biases; key-value heads null, or missing and then five."""
    config = decoder(draw, "BitNet")
    draw.maybe(config, attention_bias=draw.flag(), rms_norm_eps=1e-6)
    if config.get("num_attention_heads", 20) % 5 == 0 and draw.flag():
        del config["num_key_value_heads"]
    elif draw.between(0, 3) == 0:
        config["num_key_value_heads"] = None
    return config


DRAWN = {"bitnet": bitnet}
