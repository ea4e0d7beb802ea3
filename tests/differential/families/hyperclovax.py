"""HyperCLOVA X."""

from __future__ import annotations

from tests.differential.decoders import all_heads, decoder
from tests.differential.draw import Config, Draw


def hyperclovax(draw: Draw) -> Config:
    """Biases, two norms a block or four; a head width of its own, missing or null."""
    config = decoder(draw, "HyperCLOVAX")
    draw.maybe(config, attention_bias=draw.flag(), mlp_bias=draw.flag(),
               use_post_norm=draw.flag(), attention_multiplier=0.1, residual_multiplier=1.0)
    if "head_dim" not in config:
        draw.maybe(config, head_dim=None)
    return all_heads(draw, config)


DRAWN = {"hyperclovax": hyperclovax}
