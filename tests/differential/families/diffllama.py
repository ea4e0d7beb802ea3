"""DiffLlama."""

from __future__ import annotations

from tests.differential.decoders import all_heads, decoder
from tests.differential.draw import Config, Draw


def diffllama(draw: Draw) -> Config:
    """Biases; an even number of key-value heads; a head width of its own, missing or null."""
    config = decoder(draw, "DiffLlama")
    if config["num_key_value_heads"] % 2:
        config["num_key_value_heads"] *= 2
        if "num_attention_heads" in config:
            config["num_attention_heads"] *= 2
            config["hidden_size"] *= 2
    config.pop("attention_dropout", None)  # refused by the family's code
    draw.maybe(config, attention_bias=draw.flag(), lambda_std_dev=0.2, rms_norm_eps=1e-6)
    if "head_dim" not in config:
        draw.maybe(config, head_dim=None)
    return all_heads(draw, config)


DRAWN = {"diffllama": diffllama}
