"""Mistral 4."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.families.deepseek import latent, mixture


def mistral4(draw: Draw) -> Config:
    """With and without a query rank, dense layers first, experts under both names."""
    config = mixture(draw, latent(draw, "Mistral4"),
                     draw.one_of("n_routed_experts", "num_local_experts"))
    draw.maybe(config, first_k_dense_replace=draw.between(0, 4))
    return config | {"qk_rope_head_dim": 2 * draw.prime(), "pad_token_id": None}


DRAWN = {"mistral4": mistral4}
