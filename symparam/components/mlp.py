"""The two-matrix feed-forward network."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims, equation
from symparam.dims import D_FF, D_MODEL
from symparam.ledger import Matrix


class FeedForward(Component):
    """Two matrices with an activation between them: up to d_ff, down to d_model.

    ``W_up`` is (d_ff, d_model), ``W_down`` is (d_model, d_ff); ReLU, GELU and squared ReLU cost
    the same. The factor of four is a default with a name, not part of the component.
    """

    name = "mlp"
    slot = "ffn"
    title = "MLP"
    source = "Vaswani et al. 2017, arXiv:1706.03762, section 3.3"
    prefix = "mlp."
    dims = (D_MODEL, D_FF)
    example = {"d_model": 5, "d_ff": 7}
    equations = (equation("d_ff", "4*d_model", "the usual expansion of a two-matrix FFN"),)
    bias_sites = ("ffn",)
    names = {"W_up": "up_proj.weight", "W_down": "down_proj.weight",
             "b_up": "up_proj.bias", "b_down": "down_proj.bias"}

    bias: frozenset[str] = frozenset()

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Up and down, with their biases where asked for."""
        yield Matrix("W_up", (d.d_ff, d.d_model), "up")
        yield Matrix("W_down", (d.d_model, d.d_ff), "down")
        if self.has_bias("ffn"):
            yield Matrix("b_up", (d.d_ff,), "bias of up", "bias")
            yield Matrix("b_down", (d.d_model,), "bias of down", "bias")
