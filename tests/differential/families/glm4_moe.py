"""GLM-4.5."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.mixture import decoder, default_heads, experts, first_dense


def glm4_moe(draw: Draw) -> Config:
    """Dense layers first, shared experts, norms of heads or none; heads that leave a rest."""
    config = first_dense(draw, default_heads(decoder(draw, "Glm4Moe", width=True), 32, 8))
    if "head_dim" not in config and config["num_attention_heads"] > 1:
        config["hidden_size"] += draw.one_of(0, 1)
    config["moe_intermediate_size"] = draw.prime()
    draw.maybe(config, attention_bias=draw.flag(), use_qk_norm=draw.flag(),
               n_shared_experts=draw.between(1, 3),
               num_nextn_predict_layers=draw.one_of(0, 1))
    return (experts(draw, config, "n_routed_experts", "num_local_experts") if draw.flag()
            else config)


DRAWN = {"glm4_moe": glm4_moe}
