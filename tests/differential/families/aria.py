"""Aria, its language model."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.mixture import decoder, experts


def aria_text(draw: Draw) -> Config:
    """Biases of attention and of shared experts, each or none."""
    config = decoder(draw, "AriaText", (7, 7, None, "none"))
    draw.maybe(config, attention_bias=draw.flag(), mlp_bias=draw.flag(),
               head_dim=draw.one_of(None, draw.size(2)), moe_num_shared_experts=draw.between(1, 3))
    if draw.flag():
        config = experts(draw, config, "moe_num_experts", used="moe_topk")
    return config


DRAWN = {"aria_text": aria_text}
