"""ERNIE 4.5, dense and with experts."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.mixture import decoder, default_heads, experts


def ernie4_5(draw: Draw) -> Config:
    """One switch for all biases; null for the head width means that heads split the width."""
    config = decoder(draw, "Ernie4_5", (7, 7, None, "none"), width=True)
    draw.maybe(config, use_bias=draw.one_of(True, False, None))
    config = default_heads(config, 4, 2)
    if "head_dim" not in config and draw.flag():
        config |= {"head_dim": None, "hidden_size": config["hidden_size"] + draw.between(
            0, config["num_attention_heads"] - 1)}
    return config


def ernie4_5_moe(draw: Draw) -> Config:
    """Sparse layers by an interval between a first and a last one; shared experts or none."""
    config = default_heads(decoder(draw, "Ernie4_5_Moe", width=True), 12, 4)
    depth = config["num_hidden_layers"]
    config["moe_intermediate_size"] = draw.prime()
    draw.maybe(config, use_bias=draw.one_of(True, False, None),
               moe_num_shared_experts=draw.between(0, 3), moe_use_aux_free=True,
               moe_layer_interval=draw.between(1, 3), moe_layer_start_index=draw.between(0, 3),
               moe_layer_end_index=draw.one_of(-1, depth - 1, 0, 2))
    if draw.flag():
        config = experts(draw, config, "moe_num_experts", "num_experts",
                         used=draw.one_of("moe_k", "num_experts_per_tok"))
    return config


DRAWN = {"ernie4_5": ernie4_5, "ernie4_5_moe": ernie4_5_moe}
