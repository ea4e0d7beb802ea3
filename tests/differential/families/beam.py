"""Beam."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.mixture import decoder, default_heads, experts


def beam(draw: Draw) -> Config:
    """Dense layers first or listed; biases of attention but for its gate."""
    config = default_heads(decoder(draw, "Beam", width=True), 24, 8)
    config["moe_intermediate_size"] = draw.prime()
    depth = config["num_hidden_layers"]
    draw.maybe(config, attention_bias=draw.flag(), mlp_layer_types=draw.one_of(
        None, draw.pattern(("dense", "sparse"), depth)))
    return experts(draw, config, "num_experts") if draw.flag() else config


DRAWN = {"beam": beam}
