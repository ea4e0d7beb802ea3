"""StarCoder2."""

from __future__ import annotations

from tests.differential.decoders import decoder
from tests.differential.draw import Config, Draw


def starcoder2(draw: Draw) -> Config:
    """All biases or none; a head width of its own, missing or null."""
    config = decoder(draw, "Starcoder2")
    draw.maybe(config, use_bias=draw.flag(), sliding_window=draw.one_of(128, None),
               norm_epsilon=1e-6, residual_dropout=0.1, embedding_dropout=0.1,
               mlp_type="default", norm_type="layer_norm")
    if "head_dim" not in config:
        draw.maybe(config, head_dim=None)
    if config.get("num_attention_heads", 24) % 2 == 0 and draw.flag():
        del config["num_key_value_heads"]
    return config


DRAWN = {"starcoder2": starcoder2}
