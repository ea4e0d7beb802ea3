"""Gains around the router of a mixture of experts."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.moe import N_EXPERTS
from symparam.dims import D_MODEL
from symparam.ledger import Matrix


class RouterScales(Component):
    """A gain of d_model on what the router sees, and one number for each expert's output."""

    name = "scales"
    slot = "router"
    title = "gains of the router"
    source = "transformers, models/gemma4"
    prefix = "router."
    dims = (D_MODEL, N_EXPERTS)
    example = {"d_model": 11, "n_experts": 7}
    names = {"g_router": "scale", "g_experts": "per_expert_scale"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The gain of the router's input, the factors of the experts."""
        yield Matrix("g_router", (d.d_model,), "gain of the router's input", "gain")
        yield Matrix("g_experts", (d.n_experts,), "factor of each expert", "gain")
