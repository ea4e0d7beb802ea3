"""OLMoE and FlexOlmo."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.mixture import decoder, experts


def _drawn(draw: Draw, stem: str) -> Config:
    config = decoder(draw, stem, (7, 7, None, "none"))
    draw.maybe(config, attention_bias=draw.flag(),
               head_dim=config["hidden_size"] // config["num_attention_heads"])
    return experts(draw, config, "num_experts", "num_local_experts") if draw.flag() else config


def olmoe(draw: Draw) -> Config:
    """Norms as wide as all heads, before attention and experts."""
    config = _drawn(draw, "Olmoe")
    draw.maybe(config, clip_qkv=draw.one_of(None, 8.0))
    return config


def flex_olmo(draw: Draw) -> Config:
    """Norms as wide as all heads, after attention and experts."""
    return _drawn(draw, "FlexOlmo") | {"pad_token_id": None}


DRAWN = {"olmoe": olmoe, "flex_olmo": flex_olmo}
