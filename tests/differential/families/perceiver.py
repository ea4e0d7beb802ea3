"""Perceiver, of text or without what reads and writes."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def perceiver(draw: Draw) -> Config:
    """Channels of their own, or as wide as what they are of."""
    heads, crossed = draw.one_of(1, 2, 4), draw.one_of(1, 2, 4)
    config: Config = {
        "architectures": [draw.one_of("PerceiverForMaskedLM", "PerceiverModel")],
        "d_latents": 8 * draw.prime(), "d_model": 8 * draw.prime(),
        "num_self_attends_per_block": draw.depth(), "num_self_attention_heads": heads,
        "num_cross_attention_heads": crossed}
    if draw.flag():
        config |= {"qk_channels": 4 * draw.prime(), "v_channels": 4 * draw.prime()}
    elif draw.flag():
        config |= {"qk_channels": None, "v_channels": None}
    draw.maybe(config, num_latents=draw.size(), vocab_size=draw.size(3), num_blocks=draw.depth(),
               max_position_embeddings=draw.size(2), use_query_residual=draw.flag(),
               self_attention_widening_factor=draw.between(1, 4),
               cross_attention_widening_factor=draw.between(1, 4))
    return config


DRAWN = {"perceiver": perceiver}
