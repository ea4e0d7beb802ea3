"""AFMoE."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.mixture import decoder, experts


def afmoe(draw: Draw) -> Config:
    """Dense layers first, shared experts, biases of attention but for its gate."""
    config = decoder(draw, "Afmoe", (7, 7, None, "none"), width=True)
    config["moe_intermediate_size"] = draw.prime()
    draw.maybe(config, num_dense_layers=draw.between(0, config["num_hidden_layers"] + 1),
               attention_bias=draw.flag(), num_shared_experts=draw.between(1, 3),
               mup_enabled=draw.flag())
    return experts(draw, config, "num_experts") if draw.flag() else config


DRAWN = {"afmoe": afmoe}
