"""MiniMax M2."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.mixture import decoder, default_heads, experts


def minimax_m2(draw: Draw) -> Config:
    """Experts under both names, and what published configurations say besides."""
    config = default_heads(decoder(draw, "MiniMaxM2", width=True), 24, 8)
    draw.maybe(config, attn_type_list=[1] * config["num_hidden_layers"], use_qk_norm=True,
               num_mtp_modules=3, shared_intermediate_size=0)
    return (experts(draw, config, "num_local_experts", "num_experts") if draw.flag()
            else config)


DRAWN = {"minimax_m2": minimax_m2}
