"""Flint."""

from __future__ import annotations

from tests.differential.decoders import decoder, kinds
from tests.differential.draw import Config, Draw


def flint(draw: Draw) -> Config:
    """Which layers have experts, by a step, a list, or none; biases; kinds of attention."""
    config = decoder(draw, "Flint")
    depth = config.get("num_hidden_layers", 49)
    number = draw.prime(31)
    config |= {"num_experts": number, "num_experts_per_tok": draw.between(1, number)}
    draw.maybe(config, attention_bias=draw.flag(), decoder_sparse_step=draw.between(1, 3),
               mlp_only_layers=draw.one_of(None, [], [0], list(range(depth))),
               moe_intermediate_size=draw.prime(), sliding_window=64,
               shared_expert_intermediate_size=draw.prime())
    if draw.between(0, 9) == 0:
        config["num_experts"] = 0
    elif draw.between(0, 3) == 0:
        del config["num_experts"], config["num_experts_per_tok"]
    if config.get("num_attention_heads", 32) % 4 == 0 and draw.flag():
        del config["num_key_value_heads"]
    kinds(draw, config)
    return config


DRAWN = {"flint": flint}
