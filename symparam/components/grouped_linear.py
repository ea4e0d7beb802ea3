"""A linear layer in groups of channels, written as a convolution of one token."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL, Dim
from symparam.ledger import Matrix

D_GROUP = Dim("d_group", r"d_{\text{group}}", "channels that a group of a linear layer takes in")


class GroupedLinear(Component):
    """Each group of outputs sees its own group of inputs: ``W`` is (d_model, d_group, 1).

    With one group it is a plain linear layer. Other widths by binding d_model and d_group.
    """

    name = "grouped-linear"
    slot = "grouped-linear"
    title = "grouped linear layer"
    source = "Iandola et al. 2020, SqueezeBERT, arXiv:2006.11316, section 3"
    dims = (D_MODEL, D_GROUP)
    example = {"d_model": 7, "d_group": 3}
    names = {"W": "weight", "b": "bias"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The matrix and its bias."""
        yield Matrix("W", (d.d_model, d.d_group, 1), "grouped linear layer")
        yield Matrix("b", (d.d_model,), "bias of the grouped linear layer", "bias")
