"""Projections of relative positions for disentangled attention."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.relative_table import N_REL
from symparam.dims import D_HEAD, D_MODEL, N_HEADS
from symparam.ledger import Matrix, Product


class _OfPositions(Component, abstract=True):
    """One projection of the table's 2·n_rel relative positions, for all heads."""

    slot = "relative-attention"
    source = "He et al. 2020, arXiv:2006.03654, section 3.1"
    prefix = "attention.self."
    dims = (D_MODEL, N_HEADS, D_HEAD, N_REL)
    example = {"d_model": 11, "n_heads": 3, "d_head": 5, "n_rel": 2}

    def products(self, d: Dims) -> Iterator[Product]:
        """A score of each token with each relative position, for each head."""
        yield Product("distances", (2, d.n_rel, d.n_heads, d.d_head),
                      "tokens with relative positions", over="nothing")


class PositionKeys(_OfPositions):
    """Keys made of relative positions, for queries made of content ("content to position").

    ``W_PK`` is (n_heads·d_head, d_model).
    """

    name = "position-keys"
    title = "keys of relative positions"
    bias_sites = ("relative-attention",)
    names = {"W_PK": "pos_key_proj.weight", "b_PK": "pos_key_proj.bias"}

    bias: frozenset[str] = frozenset()

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The projection, and its bias where asked for."""
        yield Matrix("W_PK", (d.n_heads * d.d_head, d.d_model), "keys of positions",
                     stream="sequence", times=2 * d.n_rel)
        if self.has_bias("relative-attention"):
            yield Matrix("b_PK", (d.n_heads * d.d_head,), "bias of the keys of positions", "bias")


class PositionQueries(_OfPositions):
    """Queries made of relative positions, for keys made of content ("position to content").

    ``W_PQ`` is (n_heads·d_head, d_model).
    """

    name = "position-queries"
    title = "queries of relative positions"
    bias_sites = ("relative-attention",)
    names = {"W_PQ": "pos_query_proj.weight", "b_PQ": "pos_query_proj.bias"}

    bias: frozenset[str] = frozenset()

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The projection, and its bias where asked for."""
        yield Matrix("W_PQ", (d.n_heads * d.d_head, d.d_model), "queries of positions",
                     stream="sequence", times=2 * d.n_rel)
        if self.has_bias("relative-attention"):
            yield Matrix("b_PQ", (d.n_heads * d.d_head,), "bias of the queries of positions",
                         "bias")


class SharedProjection(_OfPositions):
    """Relative positions through the projection of the content, keys or queries: no weight more.

    The layer's own matrix multiplies the 2·n_rel rows of the table too.
    """

    name = "shared"
    title = "relative positions through the content's projection"

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Nothing."""
        yield from ()

    def products(self, d: Dims) -> Iterator[Product]:
        """The table through the content's projection, and the scores."""
        yield Product("projected", (2, d.n_rel, d.n_heads, d.d_head, d.d_model),
                      "table of positions through the content's projection", over="nothing",
                      stream="sequence")
        yield from super().products(d)
