"""Normalisation of each channel over time."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL
from symparam.ledger import Matrix


class GroupNorm(Component):
    """A gain and a shift for each of d_model channels, whatever the groups that are normed are."""

    name = "groupnorm"
    slot = "channel-norm"
    title = "GroupNorm"
    source = "Wu and He 2018, arXiv:1803.08494, section 3.1"
    in_block = False
    prefix = "layer_norm."
    dims = (D_MODEL,)
    example = {"d_model": 5}
    names = {"gain": "weight", "shift": "bias"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The gain and the shift."""
        yield Matrix("gain", (d.d_model,), "gain", "gain")
        yield Matrix("shift", (d.d_model,), "shift", "bias")
