"""nanochat."""

from __future__ import annotations

from tests.differential.decoders import all_heads, decoder
from tests.differential.draw import Config, Draw


def nanochat(draw: Draw) -> Config:
    """Biases; key-value heads missing or null."""
    config = decoder(draw, "NanoChat")
    draw.maybe(config, attention_bias=draw.flag(), final_logit_softcapping=15.0,
               rms_norm_eps=1e-6)
    return all_heads(draw, config)


DRAWN = {"nanochat": nanochat}
