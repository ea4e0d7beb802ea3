"""Cohere's mixture."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.mixture import decoder, experts


def cohere2_moe(draw: Draw) -> Config:
    """Dense layers of another width or of the experts'; shared experts or none; both norms."""
    config = decoder(draw, "Cohere2Moe", (7, 7, None, "none"), width=True)
    depth = config["num_hidden_layers"]
    kinds = draw.pattern(("dense", "sparse"), depth)
    draw.maybe(config, first_k_dense_replace=draw.between(0, depth))
    draw.maybe(config, mlp_layer_types=draw.one_of(None, kinds), attention_bias=draw.flag(),
               num_shared_experts=draw.between(0, 3), rms_norm_eps=draw.one_of(None, 1e-5),
               prefix_dense_intermediate_size=draw.one_of(None, draw.prime()))
    return experts(draw, config, "num_experts") if draw.flag() else config


DRAWN = {"cohere2_moe": cohere2_moe}
