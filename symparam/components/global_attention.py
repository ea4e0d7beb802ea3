"""Queries, keys and values of their own for tokens that look at everything."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_HEAD, D_MODEL, N_HEADS
from symparam.ledger import Matrix


class GlobalAttention(Component):
    """A second set of projections beside an attention over a window; the output is shared.

    ``W_QG``, ``W_KG`` and ``W_VG`` are (n_heads·d_head, d_model) each.
    """

    name = "global-attention"
    slot = "global-attention"
    title = "projections of global attention"
    source = "Beltagy et al. 2020, Longformer, arXiv:2004.05150, section 3.1"
    prefix = "attention.self."
    dims = (D_MODEL, N_HEADS, D_HEAD)
    example = {"d_model": 11, "n_heads": 3, "d_head": 5}
    bias_sites = ("global-attention",)
    names = {"W_QG": "query_global.weight", "b_QG": "query_global.bias",
             "W_KG": "key_global.weight", "b_KG": "key_global.bias",
             "W_VG": "value_global.weight", "b_VG": "value_global.bias"}

    bias: frozenset[str] = frozenset()

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The three projections, with their biases where asked for."""
        width = d.n_heads * d.d_head
        for letter, what in (("Q", "queries"), ("K", "keys"), ("V", "values")):
            yield Matrix(f"W_{letter}G", (width, d.d_model), f"global {what}")
            if self.has_bias("global-attention"):
                yield Matrix(f"b_{letter}G", (width,), f"bias of the global {what}", "bias")
