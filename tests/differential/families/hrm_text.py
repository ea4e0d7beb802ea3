"""A hierarchical reasoning model for text."""

from __future__ import annotations

from tests.differential.decoders import decoder
from tests.differential.draw import Config, Draw


def hrm_text(draw: Draw) -> Config:
    """Biases, cycles; the layers of a stack as a new configuration says them, or a saved one."""
    config = decoder(draw, "HrmText", grouped=False)
    high, low = draw.between(1, 3), draw.between(1, 4)
    draw.maybe(config, H_cycles=high, L_cycles=low, attention_bias=draw.flag(),
               mlp_bias=draw.flag(), embedding_scale=50.0, prefix_lm=draw.flag(),
               L_bp_cycles=[2], num_layers_per_stack=draw.one_of(None, 3, 4))
    return config


DRAWN = {"hrm_text": hrm_text}
