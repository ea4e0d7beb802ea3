"""A bias on the sum of what experts give."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL
from symparam.ledger import Matrix


class OutputBias(Component):
    """One vector of d_model, added after the experts' outputs are summed: ``b`` is (d_model,)."""

    name = "sum"
    slot = "output-bias"
    title = "bias of the experts' sum"
    source = "Shen et al. 2024, arXiv:2404.07413; transformers, models/jetmoe"
    prefix = "mlp."
    dims = (D_MODEL,)
    example = {"d_model": 5}
    names = {"b": "bias"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The vector."""
        yield Matrix("b", (d.d_model,), "bias of the experts' sum", "bias")
