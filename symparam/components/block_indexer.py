"""An indexer that chooses blocks of earlier tokens, from queries and a key of its own."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.indexer import D_INDEX, N_INDEX
from symparam.dims import D_MODEL
from symparam.ledger import Matrix, Product, State


class BlockIndexer(Component):
    """Scores of blocks of earlier tokens, of which sparse attention keeps the best ones.

    ``W_IQ`` (n_index·d_index, d_model) makes queries and ``W_IK`` (d_index, d_model) one key for
    all heads; both are normed head by head, with gains of d_index.
    """

    name = "blocks"
    slot = "indexer"
    title = "indexer of blocks"
    source = "transformers, models/minimax_m3_vl"
    prefix = "self_attn.indexer."
    dims = (D_MODEL, N_INDEX, D_INDEX)
    example = {"d_model": 11, "n_index": 3, "d_index": 7}
    names = {"W_IQ": "q_proj.weight", "W_IK": "k_proj.weight", "g_IQ": "q_norm.weight",
             "g_IK": "k_norm.weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Queries and the shared key, and the norms of both."""
        yield Matrix("W_IQ", (d.n_index * d.d_index, d.d_model), "indexer's queries")
        yield Matrix("W_IK", (d.d_index, d.d_model), "indexer's key")
        yield Matrix("g_IQ", (d.d_index,), "norm of the indexer's queries", "gain")
        yield Matrix("g_IK", (d.d_index,), "norm of the indexer's key", "gain")

    def state(self, d: Dims) -> Iterator[State]:
        """The key that all heads share, for each token."""
        yield State("K_index", (d.d_index,), "indexer's keys")

    def products(self, d: Dims) -> Iterator[Product]:
        """A score of each head and key."""
        yield Product("index", (d.n_index, d.d_index), "indexer's queries with its keys")
