"""nanochat."""

from __future__ import annotations

from tests.differential.decoders import decoder
from tests.differential.draw import Config, Draw


def nanochat(draw: Draw) -> Config:
    """Biases; key-value heads missing or null."""
    config = decoder(draw, "NanoChat")
    draw.maybe(config, attention_bias=draw.flag(), final_logit_softcapping=15.0,
               rms_norm_eps=1e-6)
    kind = draw.between(0, 3)
    if kind == 0:
        del config["num_key_value_heads"]
    elif kind == 1:
        config["num_key_value_heads"] = None
    return config


DRAWN = {"nanochat": nanochat}
