"""IQuest-Coder."""

from __future__ import annotations

from tests.differential.decoders import decoder
from tests.differential.draw import Config, Draw


def iquestcoder(draw: Draw) -> Config:
    """Biases; key-value heads and head width given, missing or null."""
    config = decoder(draw, "Llama")
    draw.maybe(config, attention_bias=draw.flag(), mlp_bias=draw.flag(), rms_norm_eps=1e-6,
               use_sliding_window=False)
    if "head_dim" not in config and "hidden_size" in config:
        draw.maybe(config, head_dim=None)
    if config.get("num_attention_heads", 40) % 8 == 0 and draw.flag():
        del config["num_key_value_heads"]
    elif draw.between(0, 3) == 0:
        config["num_key_value_heads"] = None
    return config


DRAWN = {"iquestcoder": iquestcoder}
