"""Kolibri 1."""

from __future__ import annotations

from tests.differential.decoders import decoder, kinds
from tests.differential.draw import Config, Draw


def kolibri1(draw: Draw) -> Config:
    """Numbers of experts under both names; kinds of attention."""
    config = decoder(draw, "Kolibri1")
    config.pop("intermediate_size", None)
    number = draw.prime(31)
    draw.maybe(config, moe_intermediate_size=draw.prime(), sliding_window=64,
               shared_expert_intermediate_size=draw.prime(), norm_topk_prob=True)
    if draw.flag():
        config |= {draw.one_of("num_experts", "num_local_experts"): number,
                   "num_experts_per_tok": draw.between(1, number)}
    if config.get("num_attention_heads", 48) % 4 == 0 and draw.flag():
        del config["num_key_value_heads"]
    kinds(draw, config)
    return config


DRAWN = {"kolibri1": kolibri1}
