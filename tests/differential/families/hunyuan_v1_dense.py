"""HunYuan V1, dense."""

from __future__ import annotations

from tests.differential.decoders import all_heads, decoder
from tests.differential.draw import Config, Draw


def hunyuan_v1_dense(draw: Draw) -> Config:
    """Biases; a head width always, since the family has no rule for it."""
    config = decoder(draw, "HunYuanDenseV1")
    config.setdefault("head_dim", draw.size(2))
    draw.maybe(config, attention_bias=draw.flag(), eod_token_id=3, pretraining_tp=1,
               rms_norm_eps=1e-6, use_qk_norm=True, use_cla=False,
               attention_head_dim=config["head_dim"])
    return all_heads(draw, config)


DRAWN = {"hunyuan_v1_dense": hunyuan_v1_dense}
