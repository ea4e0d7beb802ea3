"""Indexers: small attentions that choose which keys a layer's real attention looks at."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.mla import Q_RANK
from symparam.dims import D_MODEL, Dim, register
from symparam.ledger import Matrix, Product, State

N_INDEX = Dim("n_index", r"n_{\text{index}}", "number of heads of an indexer", ("index_n_heads",))
D_INDEX = Dim("d_index", r"d_{\text{index}}", "width of one head of an indexer",
              ("index_head_dim",))
#: No matrix has it: it bounds what the attention beside an indexer looks at.
TOP_INDEX = Dim("top_index", r"k_{\text{index}}", "number of keys that an indexer selects",
                ("index_topk",))
register((TOP_INDEX,))


class LightningIndexer(Component):
    """Scores of earlier tokens, of which sparse attention keeps the best ones.

    ``W_IQ`` (n_index·d_index, q_rank) makes queries from the attention's compressed ones,
    ``W_IK`` (d_index, d_model) one key that all heads share and a LayerNorm follows, and
    ``W_Iw`` (n_index, d_model) the weight of each head. How many tokens are kept costs nothing.
    """

    name = "lightning"
    slot = "indexer"
    title = "lightning indexer"
    source = "DeepSeek-AI 2025, arXiv:2512.02556, section 2.1; transformers, models/deepseek_v32"
    prefix = "self_attn.indexer."
    dims = (D_MODEL, Q_RANK, N_INDEX, D_INDEX)
    example = {"d_model": 11, "q_rank": 5, "n_index": 3, "d_index": 7}
    names = {"W_IQ": "wq_b.weight", "W_IK": "wk.weight", "g_IK": "k_norm.weight",
             "b_IK": "k_norm.bias", "W_Iw": "weights_proj.weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Queries, the shared key with its norm, and the heads' weights."""
        yield Matrix("W_IQ", (d.n_index * d.d_index, d.q_rank), "indexer's queries")
        yield Matrix("W_IK", (d.d_index, d.d_model), "indexer's key")
        yield Matrix("g_IK", (d.d_index,), "norm of the indexer's key", "gain")
        yield Matrix("b_IK", (d.d_index,), "shift of the indexer's key", "bias")
        yield Matrix("W_Iw", (d.n_index, d.d_model), "weights of the indexer's heads")

    def state(self, d: Dims) -> Iterator[State]:
        """The key that all heads share, for each token."""
        yield State("K_index", (d.d_index,), "indexer's keys")

    def products(self, d: Dims) -> Iterator[Product]:
        """A score of each head and key, and their sum over the heads."""
        yield Product("index", (d.n_index, d.d_index), "indexer's queries with its keys")
        yield Product("joined", (d.n_index,), "heads' weights with their scores")
