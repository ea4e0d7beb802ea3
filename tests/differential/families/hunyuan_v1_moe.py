"""HunYuan V1 with experts."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.mixture import decoder


def hunyuan_v1_moe(draw: Draw) -> Config:
    """How many experts a token uses as a number or as a list; heads need not split the width."""
    config = decoder(draw, "HunYuanMoEV1", (7, 7, None, "none"), width=True)
    config.setdefault("head_dim", draw.size(2))
    depth, number = config["num_hidden_layers"], draw.prime(31)
    used = draw.between(1, number)
    if draw.flag():
        config |= {draw.one_of("num_experts", "num_local_experts"): number,
                   **draw.one_of({"moe_topk": used}, {"moe_topk": [used] * depth},
                                 {"num_experts_per_tok": used})}
    draw.maybe(config, attention_bias=draw.flag(), num_shared_expert=draw.one_of(1, [1] * depth),
               moe_intermediate_size=[config["intermediate_size"]] * depth, use_qk_norm=True)
    return config


DRAWN = {"hunyuan_v1_moe": hunyuan_v1_moe}
