"""Projections of relative positions for disentangled attention."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_HEAD, D_MODEL, N_HEADS
from symparam.ledger import Matrix


class _OfPositions(Component, abstract=True):
    """One projection of the table of relative positions, for all heads."""

    slot = "relative-attention"
    source = "He et al. 2020, arXiv:2006.03654, section 3.1"
    prefix = "attention.self."
    dims = (D_MODEL, N_HEADS, D_HEAD)
    example = {"d_model": 11, "n_heads": 3, "d_head": 5}
    bias_sites = ("relative-attention",)

    bias: frozenset[str] = frozenset()


class PositionKeys(_OfPositions):
    """Keys made of relative positions, for queries made of content ("content to position").

    ``W_PK`` is (n_heads·d_head, d_model).
    """

    name = "position-keys"
    title = "keys of relative positions"
    names = {"W_PK": "pos_key_proj.weight", "b_PK": "pos_key_proj.bias"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The projection, and its bias where asked for."""
        yield Matrix("W_PK", (d.n_heads * d.d_head, d.d_model), "keys of positions")
        if self.has_bias("relative-attention"):
            yield Matrix("b_PK", (d.n_heads * d.d_head,), "bias of the keys of positions", "bias")


class PositionQueries(_OfPositions):
    """Queries made of relative positions, for keys made of content ("position to content").

    ``W_PQ`` is (n_heads·d_head, d_model).
    """

    name = "position-queries"
    title = "queries of relative positions"
    names = {"W_PQ": "pos_query_proj.weight", "b_PQ": "pos_query_proj.bias"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The projection, and its bias where asked for."""
        yield Matrix("W_PQ", (d.n_heads * d.d_head, d.d_model), "queries of positions")
        if self.has_bias("relative-attention"):
            yield Matrix("b_PQ", (d.n_heads * d.d_head,), "bias of the queries of positions",
                         "bias")
