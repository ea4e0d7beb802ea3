"""A bottleneck of its own for each language."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL, Dim
from symparam.ledger import Matrix

D_ADAPTER = Dim("d_adapter", r"d_{\text{adapter}}", "inner width of an adapter")


class LanguageAdapter(Component):
    """Down to d_adapter and up again, with biases, after the feed-forward network.

    ``W_1`` is (d_adapter, d_model), ``W_2`` is (d_model, d_adapter).
    """

    name = "language-adapter"
    slot = "adapter"
    title = "language adapter"
    source = "Pfeiffer et al. 2022, X-MOD, arXiv:2205.06266, section 3"
    prefix = "output.adapter_modules."
    dims = (D_MODEL, D_ADAPTER)
    example = {"d_model": 5, "d_adapter": 3}
    names = {"W_1": "dense1.weight", "b_1": "dense1.bias",
             "W_2": "dense2.weight", "b_2": "dense2.bias"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Down and up."""
        yield Matrix("W_1", (d.d_adapter, d.d_model), "down")
        yield Matrix("b_1", (d.d_adapter,), "bias of down", "bias")
        yield Matrix("W_2", (d.d_model, d.d_adapter), "up")
        yield Matrix("b_2", (d.d_model,), "bias of up", "bias")
