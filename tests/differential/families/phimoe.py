"""Phi-3.5-MoE."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.mixture import decoder, default_heads, experts


def phimoe(draw: Draw) -> Config:
    """Biases of attention and of the head, each or none."""
    config = default_heads(decoder(draw, "Phimoe", width=True), 16, 8)
    draw.maybe(config, attention_bias=draw.flag(), lm_head_bias=draw.flag())
    return experts(draw, config, "num_local_experts") if draw.flag() else config


DRAWN = {"phimoe": phimoe}
