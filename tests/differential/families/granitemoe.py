"""Granite 3 with experts."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.mixture import decoder, experts


def granitemoe(draw: Draw, stem: str = "GraniteMoe") -> Config:
    """Biases of attention or none, key-value heads that follow."""
    config = decoder(draw, stem, (7, 7, None, "none"), width=True)
    draw.maybe(config, attention_bias=draw.flag(), embedding_multiplier=2.0)
    return experts(draw, config, "num_local_experts") if draw.flag() else config


def granitemoeshared(draw: Draw, stem: str = "GraniteMoeShared") -> Config:
    """A network for every token beside the experts, or none."""
    config = granitemoe(draw, stem)
    draw.maybe(config, shared_intermediate_size=draw.one_of(0, draw.prime()))
    return config


def granitemoe_swa(draw: Draw) -> Config:
    """Windows and sinks."""
    config = granitemoeshared(draw, "GraniteMoeSWA")
    kinds = draw.pattern(("sliding_attention", "full_attention"), config["num_hidden_layers"])
    draw.maybe(config, layer_types=kinds)
    return config


DRAWN = {"granitemoe": granitemoe, "granitemoeshared": granitemoeshared,
         "granitemoe_swa": granitemoe_swa}
