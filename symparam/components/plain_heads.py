"""Attention heads alone, where what makes their queries, keys and values is listed elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.attention import SPLIT, keys_and_values, scores_and_sums
from symparam.dims import D_HEAD, D_MODEL, N_HEADS
from symparam.ledger import Matrix, Product, State


class PlainHeads(Component):
    """Heads that pair queries with keys and sum values; no weight of their own."""

    name = "plain"
    slot = "heads"
    title = "attention heads"
    source = "Vaswani et al. 2017, arXiv:1706.03762, section 3.2.2"
    dims = (D_MODEL, N_HEADS, D_HEAD)
    example = {"d_model": 11, "n_heads": 3, "d_head": 5}
    equations = (SPLIT,)

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Nothing."""
        yield from ()

    def state(self, d: Dims) -> Iterator[State]:
        """A key and a value for each head and token."""
        return keys_and_values(d.n_heads, d.d_head, d.d_head)

    def products(self, d: Dims) -> Iterator[Product]:
        """Scores and weighted sums of every head."""
        return scores_and_sums(d.n_heads, d.d_head, d.d_head)
