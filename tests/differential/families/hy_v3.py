"""Hy3."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.mixture import decoder, default_heads, experts


def hy_v3(draw: Draw) -> Config:
    """A dense layer first or kinds listed; biases of attention and of networks, each or none."""
    config = default_heads(decoder(draw, "HYV3", width=True), 24, 8)
    config["moe_intermediate_size"] = draw.prime()
    kinds = draw.pattern(("dense", "sparse"), config["num_hidden_layers"])
    draw.maybe(config, mlp_layer_types=draw.one_of(None, kinds), attention_bias=draw.flag(),
               mlp_bias=draw.flag(), num_shared_experts=draw.between(1, 3))
    return experts(draw, config, "num_experts", "num_local_experts") if draw.flag() else config


DRAWN = {"hy_v3": hy_v3}
