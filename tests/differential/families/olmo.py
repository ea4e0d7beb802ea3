"""OLMo, OLMo 2 and OLMo 3."""

from __future__ import annotations

from tests.differential.decoders import all_heads, decoder, kinds
from tests.differential.draw import Config, Draw


def olmo(draw: Draw) -> Config:
    """Biases; queries, keys and values clipped, which changes no weight."""
    config = decoder(draw, "Olmo")
    draw.maybe(config, attention_bias=draw.flag(), clip_qkv=8.0)
    return all_heads(draw, config)


def olmo2(draw: Draw) -> Config:
    """Biases; key-value heads missing or null."""
    config = decoder(draw, "Olmo2")
    draw.maybe(config, attention_bias=draw.flag(), rms_norm_eps=1e-6)
    return all_heads(draw, config)


def olmo3(draw: Draw) -> Config:
    """The same with sliding windows in some layers."""
    config = decoder(draw, "Olmo3")
    draw.maybe(config, attention_bias=draw.flag(), rms_norm_eps=1e-6, sliding_window=128)
    config.pop("rope_parameters", None)  # a table a kind of layer here
    kinds(draw, config)
    return all_heads(draw, config)


DRAWN = {"olmo": olmo, "olmo2": olmo2, "olmo3": olmo3}
