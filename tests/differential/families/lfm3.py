"""LFM3."""

from __future__ import annotations

from tests.differential.decoders import decoder
from tests.differential.draw import Config, Draw


def lfm3(draw: Draw) -> Config:
    """Convolutions and attention by a list or by the family's rule, gates and norms or not."""
    config = decoder(draw, "Lfm3")
    config.pop("rope_scaling", None)
    config.pop("rope_parameters", None)
    config["num_hidden_layers"] = depth = draw.depth(7)
    config["num_attention_heads"] = config.get("num_attention_heads", 16)
    draw.maybe(config, attention_bias=draw.flag(), conv_bias=draw.flag(),
               conv_L_cache=draw.prime(11), use_attention_gate=draw.flag(),
               use_sandwich_norm=draw.flag(), layer_types=draw.one_of(None, draw.pattern(
                   ("conv", "full_attention", "sliding_attention"), depth)))
    return config


DRAWN = {"lfm3": lfm3}
