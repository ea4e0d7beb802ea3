"""Relative positions of Shaw et al.: a vector of one head for each distance."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.relative_table import N_REL
from symparam.dims import D_HEAD, N_HEADS
from symparam.ledger import Matrix, Product


class ShawPositions(Component):
    """A table of (2·n_rel + 1, d_head) in each layer, which all its heads share.

    Distances beyond n_rel in either direction count as n_rel.
    """

    name = "shaw"
    slot = "positions"
    title = "relative positions of one head"
    source = "Shaw et al. 2018, arXiv:1803.02155, section 3.2"
    prefix = "rel_pos_emb."
    dims = (N_REL, N_HEADS, D_HEAD)
    example = {"n_rel": 2, "n_heads": 3, "d_head": 5}
    names = {"W_R": "weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The table."""
        yield Matrix("W_R", (2 * d.n_rel + 1, d.d_head), "relative position embedding",
                     "embedding")

    def products(self, d: Dims) -> Iterator[Product]:
        """A second score for each query head and key: of their distance."""
        yield Product("distances", (d.n_heads, d.d_head), "queries with relative positions")
