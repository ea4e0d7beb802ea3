"""Compressors: several tokens become one entry, which attention sees instead of them."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.indexer import D_INDEX, N_INDEX
from symparam.components.mla import Q_RANK
from symparam.dims import D_HEAD, D_MODEL, N_HEADS, Dim
from symparam.ledger import Matrix, Number, Product, State

N_JOINED = Dim("n_joined", r"n_{\text{joined}}", "number of tokens that one entry stands for",
               ("compress_rate",))


class Compressor(Component):
    """A gated mean over n_joined tokens, each place in the group with a bias of its own.

    ``W_C`` and ``W_Z`` are (d_head, d_model), ``b_Z`` is (n_joined, d_head).
    """

    name = "tokens"
    slot = "compressor"
    title = "compressor of tokens"
    source = "DeepSeek-AI 2026, arXiv:2606.19348, section 2.3; transformers, models/deepseek_v4"
    prefix = "self_attn.compressor."
    dims = (D_MODEL, D_HEAD, N_JOINED, N_HEADS)
    example = {"d_model": 5, "d_head": 7, "n_joined": 3, "n_heads": 2}
    names = {"W_C": "kv_proj.weight", "W_Z": "gate_proj.weight", "b_Z": "position_bias",
             "g_C": "kv_norm.weight"}

    def width(self, d: Dims) -> Number:
        """What one token gives to all the groups that it is in."""
        return d.d_head

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Vectors, their gate with its bias, and the norm of the entries."""
        width = self.width(d)
        yield Matrix("W_C", (width, d.d_model), "vectors that are joined")
        yield Matrix("W_Z", (width, d.d_model), "weights of the vectors")
        yield Matrix("b_Z", (d.n_joined, width), "bias of each place in a group", "bias")
        yield Matrix("g_C", (d.d_head,), "norm of the entries", "gain")

    def state(self, d: Dims) -> Iterator[State]:
        """An entry for every n_joined tokens, and the tokens that are not joined yet."""
        yield State("entries", (d.d_head,), "joined keys and values", every=d.n_joined)
        yield State("open", (d.n_joined, 2, self.width(d)), "vectors and weights yet to be joined",
                    stream="sequence")

    def products(self, d: Dims) -> Iterator[Product]:
        """Scores and weighted sums of every head over the entries."""
        yield Product("scores", (d.n_heads, d.d_head), "queries with entries", every=d.n_joined)
        yield Product("sums", (d.n_heads, d.d_head), "weights with entries", every=d.n_joined)


class OverlappingCompressor(Compressor):
    """As the compressor of tokens, where each token is in two groups and has a vector for each.

    ``W_C`` and ``W_Z`` are (2·d_head, d_model), ``b_Z`` is (n_joined, 2·d_head).
    """

    name = "overlapping"
    title = "compressor of tokens in overlapping groups"

    def width(self, d: Dims) -> Number:
        """A vector for each of two groups."""
        return d.d_head + d.d_head


class EntryIndexer(Component):
    """An indexer over compressed entries: it joins tokens by itself, into entries of d_index.

    ``W_IC`` and ``W_IZ`` are (2·d_index, d_model), ``b_IZ`` is (n_joined, 2·d_index), ``W_IQ``
    (n_index·d_index, q_rank) makes its queries, ``W_Iw`` (n_index, d_model) its heads' weights.
    """

    name = "entries"
    slot = "compressor"
    title = "indexer of compressed entries"
    source = "DeepSeek-AI 2026, arXiv:2606.19348, section 2.3; transformers, models/deepseek_v4"
    prefix = "self_attn.compressor.indexer."
    dims = (D_MODEL, Q_RANK, N_INDEX, D_INDEX, N_JOINED)
    example = {"d_model": 11, "q_rank": 5, "n_index": 3, "d_index": 7, "n_joined": 2}
    names = {"W_IC": "kv_proj.weight", "W_IZ": "gate_proj.weight", "b_IZ": "position_bias",
             "g_IC": "kv_norm.weight", "W_IQ": "q_b_proj.weight",
             "W_Iw": "scorer.weights_proj.weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """What makes its entries, then its queries and its heads' weights."""
        width = d.d_index + d.d_index
        yield Matrix("W_IC", (width, d.d_model), "indexer's vectors that are joined")
        yield Matrix("W_IZ", (width, d.d_model), "weights of the indexer's vectors")
        yield Matrix("b_IZ", (d.n_joined, width), "bias of each place in a group", "bias")
        yield Matrix("g_IC", (d.d_index,), "norm of the indexer's entries", "gain")
        yield Matrix("W_IQ", (d.n_index * d.d_index, d.q_rank), "indexer's queries")
        yield Matrix("W_Iw", (d.n_index, d.d_model), "weights of the indexer's heads")

    def state(self, d: Dims) -> Iterator[State]:
        """An entry for every n_joined tokens, and the tokens that are not joined yet."""
        yield State("entries", (d.d_index,), "indexer's entries", every=d.n_joined)
        yield State("open", (d.n_joined, 4, d.d_index), "vectors and weights yet to be joined",
                    stream="sequence")

    def products(self, d: Dims) -> Iterator[Product]:
        """A score of each head and entry, and their sum over the heads, number by number."""
        yield Product("index", (d.n_index, d.d_index), "indexer's queries with its entries",
                      every=d.n_joined)
        yield Product("joined", (d.n_index,), "heads' weights with their scores",
                      every=d.n_joined, work="scan")
