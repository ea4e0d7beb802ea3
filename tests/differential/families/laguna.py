"""Laguna."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.mixture import decoder, default_heads, experts


def laguna(draw: Draw) -> Config:
    """Query heads for each layer or for all, both gates, dense and sparse layers in any order."""
    config = default_heads(decoder(draw, "Laguna", width=True), 24, 8)
    depth, n_kv = config["num_hidden_layers"], config.get("num_key_value_heads", 8)
    config["moe_intermediate_size"] = draw.prime()
    heads = draw.pattern((n_kv, 2 * n_kv, 3 * n_kv), depth)
    draw.maybe(config, num_attention_heads_per_layer=draw.one_of(None, heads),
               gating=draw.one_of(True, False, "per-head", "per-element"),
               attention_bias=draw.flag(), shared_expert_intermediate_size=draw.prime(),
               mlp_layer_types=draw.one_of(None, draw.pattern(("dense", "sparse"), depth)))
    return experts(draw, config, "num_experts") if draw.flag() else config


DRAWN = {"laguna": laguna}
