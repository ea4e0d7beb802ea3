"""HY V4."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.families.deepseek import latent, mixture, mlp_kinds


def hy_v4(draw: Draw) -> Config:
    """Indexers listed or by the family's rule, several streams."""
    config = mixture(draw, latent(draw, "HYV4", (7, "none")),
                     draw.one_of("n_routed_experts", "num_local_experts"))
    config = mlp_kinds(draw, config | {"pad_token_id": None})
    config.pop("first_k_dense_replace", None)  # not a key of its
    depth = config["num_hidden_layers"]
    draw.maybe(config, index_n_heads=draw.prime(), index_head_dim=draw.size(2),
               hc_mult=draw.between(1, 5), indexer_types=draw.one_of(
                   None, draw.pattern(("full", "shared"), depth)))
    return config


DRAWN = {"hy_v4": hy_v4}
