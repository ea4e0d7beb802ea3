"""A gain on the residual stream."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL
from symparam.ledger import Matrix


class ResidualScale(Component):
    """A gain of d_model on what passes beside a part of the block, before its output is added."""

    name = "scale"
    slot = "residual"
    title = "gain of the residual stream"
    source = "Shi et al. 2024, arXiv:2412.11834; transformers, models/doge"
    prefix = "residual"
    dims = (D_MODEL,)
    example = {"d_model": 5}
    names = {"gain": ""}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The gain."""
        yield Matrix("gain", (d.d_model,), "gain of the residual stream", "gain")
