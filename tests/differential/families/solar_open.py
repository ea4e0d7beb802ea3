"""Solar Open."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.mixture import decoder, default_heads, experts


def solar_open(draw: Draw) -> Config:
    """Biases of queries, keys and values or none; shared experts."""
    config = default_heads(decoder(draw, "SolarOpen", width=True), 24, 8)
    config["moe_intermediate_size"] = draw.prime()
    draw.maybe(config, attention_bias=draw.flag(), n_shared_experts=draw.between(1, 3))
    return (experts(draw, config, "n_routed_experts", "num_local_experts") if draw.flag()
            else config)


DRAWN = {"solar_open": solar_open}
