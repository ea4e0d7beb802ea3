"""Apertus."""

from __future__ import annotations

from tests.differential.decoders import all_heads, decoder
from tests.differential.draw import Config, Draw


def apertus(draw: Draw) -> Config:
    """Biases; an activation that has weights, and others that have none."""
    config = decoder(draw, "Apertus")
    draw.maybe(config, attention_bias=draw.flag(), rms_norm_eps=1e-6,
               hidden_act=draw.one_of("xielu", "xielu", "relu2", "silu"), qk_norm=True,
               post_norm=False, mlp_bias=False)
    return all_heads(draw, config)


DRAWN = {"apertus": apertus}
