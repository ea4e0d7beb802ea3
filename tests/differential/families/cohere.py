"""Command R and what came after it."""

from __future__ import annotations

from tests.differential.decoders import all_heads, decoder, kinds
from tests.differential.draw import Config, Draw


def cohere(draw: Draw) -> Config:
    """Biases, norms of heads; key-value heads missing or null."""
    config = _common(draw, "Cohere")
    draw.maybe(config, use_qk_norm=draw.one_of(True, True, False, None))
    return config


def cohere2(draw: Draw) -> Config:
    """Sliding windows, as a list or as a period."""
    config = _common(draw, "Cohere2")
    draw.maybe(config, sliding_window=128, sliding_window_pattern=draw.one_of(1, 2, 4),
               rotary_pct=1.0, use_gated_activation=True, use_parallel_block=True,
               position_embedding_type="rope_gptj")
    kinds(draw, config)
    return config


def _common(draw: Draw, stem: str) -> Config:
    config = decoder(draw, stem)
    draw.maybe(config, attention_bias=draw.flag(), logit_scale=0.5, layer_norm_eps=1e-6)
    return all_heads(draw, config)


DRAWN = {"cohere": cohere, "cohere2": cohere2}
