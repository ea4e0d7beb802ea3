"""GPT-OSS."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.mixture import decoder, default_heads, experts


def gpt_oss(draw: Draw) -> Config:
    """Biases of attention or none; windows in any layer; a head width that does not follow."""
    config = default_heads(decoder(draw, "GptOss", width=True), 24, 8)
    depth = config["num_hidden_layers"]
    draw.maybe(config, attention_bias=draw.flag(),
               layer_types=draw.pattern(("sliding_attention", "full_attention"), depth))
    return experts(draw, config, "num_local_experts", "num_experts") if draw.flag() else config


DRAWN = {"gpt_oss": gpt_oss}
