"""The square layers that BERT puts on its encoder; here the pooler."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL
from symparam.ledger import Matrix


class SquareLayer(Component, abstract=True):
    """A square matrix with a bias."""

    in_block = False
    dims = (D_MODEL,)
    example = {"d_model": 5}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The matrix and its bias."""
        yield Matrix("W", (d.d_model, d.d_model), self.title, stream="sequence")
        yield Matrix("b", (d.d_model,), f"bias of the {self.title}", "bias", stream="sequence")


class Pooler(SquareLayer):
    """A square layer on the first token's output, once a sequence: d_model² + d_model."""

    name = "pooler"
    slot = "pooler"
    title = "pooler"
    source = "Devlin et al. 2018, arXiv:1810.04805; google-research/bert, modeling.py"
    prefix = "pooler."
    names = {"W": "dense.weight", "b": "dense.bias"}
