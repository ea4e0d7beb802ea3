"""Doge."""

from __future__ import annotations

from tests.differential.decoders import all_heads, decoder
from tests.differential.draw import Config, Draw


def doge(draw: Draw) -> Config:
    """Biases; dense, or with a mixture of small experts, of which there need not be a square."""
    config = decoder(draw, "Doge")
    draw.maybe(config, attention_bias=draw.flag(), mlp_bias=draw.flag(), is_moe=draw.flag(),
               keep_window_size=16, sliding_window=None, hidden_dropout=0.1,
               num_experts=draw.between(2, 300), num_experts_per_tok=draw.one_of(1, 2))
    return all_heads(draw, config)


DRAWN = {"doge": doge}
