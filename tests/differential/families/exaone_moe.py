"""K-EXAONE."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.mixture import decoder, default_heads, experts, first_dense


def exaone_moe(draw: Draw) -> Config:
    """Dense layers first or listed; shared experts; a head width of its own."""
    config = default_heads(decoder(draw, "ExaoneMoe", width=True), 32, 32)
    config = first_dense(draw, config) | {"moe_intermediate_size": draw.prime()}
    kinds = draw.pattern(("dense", "sparse"), config["num_hidden_layers"])
    draw.maybe(config, mlp_layer_types=draw.one_of(None, kinds),
               num_shared_experts=draw.between(1, 3), sliding_window_pattern=2)
    return experts(draw, config, "num_experts") if draw.flag() else config


DRAWN = {"exaone_moe": exaone_moe}
