"""Llama 4, its language model."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.mixture import decoder, default_heads, experts


def llama4_text(draw: Draw) -> Config:
    """Sparse layers by step or by list."""
    config = default_heads(decoder(draw, "Llama4", width=True), 24, 8)
    if config["architectures"] == ["Llama4Model"]:
        config["architectures"] = ["Llama4TextModel"]
    depth = config["num_hidden_layers"]
    config["intermediate_size_mlp"] = draw.size(2)
    draw.maybe(config, attention_bias=draw.flag(), use_qk_norm=draw.flag(),
               interleave_moe_layer_step=draw.between(1, 3),
               moe_layers=draw.one_of(None, [], [0], [depth - 1, depth]))
    return experts(draw, config, "num_local_experts") if draw.flag() else config


DRAWN = {"llama4_text": llama4_text}
