"""Stable LM."""

from __future__ import annotations

from tests.differential.decoders import decoder
from tests.differential.draw import Config, Draw


def stablelm(draw: Draw) -> Config:
    """Biases of QKV, norms of heads, parallel blocks."""
    config = decoder(draw, "StableLm", free=False)
    draw.maybe(config, use_qkv_bias=draw.flag(), qk_layernorm=draw.flag(),
               use_parallel_residual=draw.flag(), partial_rotary_factor=0.5,
               layer_norm_eps=1e-6)
    if draw.between(0, 4) == 0:  # 32 key-value heads, so as many query heads or a multiple
        config |= {"num_attention_heads": 64, "hidden_size": draw.size(128)}
        del config["num_key_value_heads"]
    return config


DRAWN = {"stablelm": stablelm}
