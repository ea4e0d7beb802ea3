"""A gain on what a part of a block adds."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL
from symparam.ledger import Matrix


class LayerScale(Component):
    """A gain of d_model on what a part of the block adds to the residual stream."""

    name = "layer-scale"
    slot = "scale"
    title = "LayerScale"
    source = "Touvron et al. 2021, arXiv:2103.17239, section 3"
    prefix = "layer_scale"
    dims = (D_MODEL,)
    example = {"d_model": 5}
    names = {"gain": ""}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The gain."""
        yield Matrix("gain", (d.d_model,), "gain of what is added", "gain")
