"""dots.llm1."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.mixture import decoder, default_heads, experts, first_dense


def dots1(draw: Draw) -> Config:
    """Dense layers first; numbers of experts are left out where no layer has any."""
    config = decoder(draw, "Dots1", (7, 7, None, "none"), width=True)
    config = first_dense(draw, default_heads(config, 32, 32))
    config["moe_intermediate_size"] = draw.prime()
    draw.maybe(config, attention_bias=draw.flag(), max_window_layers=1)
    if config.get("first_k_dense_replace", 0) < config["num_hidden_layers"] or draw.flag():
        config["n_shared_experts"] = draw.between(1, 3)
        config = experts(draw, config, "n_routed_experts", "num_local_experts")
    return config


DRAWN = {"dots1": dots1}
