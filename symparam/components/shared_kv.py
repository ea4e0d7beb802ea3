"""Softmax attention over the keys and values of an earlier layer."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.attention import HEADS, SPLIT, scores_and_sums
from symparam.dims import D_HEAD, D_MODEL, N_HEADS
from symparam.ledger import Matrix, Product


class SharedKeyValueAttention(Component):
    """Queries and an output alone: keys and values are those of a layer below.

    ``W_Q`` is (n_heads·d_head, d_model), ``W_O`` is (d_model, n_heads·d_head).
    """

    name = "shared-kv"
    slot = "attention"
    title = "attention over an earlier layer's keys and values"
    source = "Brandon et al. 2024, arXiv:2405.12981, section 2; transformers, models/gemma4"
    prefix = "self_attn."
    dims = (D_MODEL, N_HEADS, D_HEAD)
    borrows = True
    example = {"d_model": 11, "n_heads": 3, "d_head": 5}
    equations = (SPLIT, HEADS)
    bias_sites = ("qkv", "attn-out")
    names = {"W_Q": "q_proj.weight", "W_O": "o_proj.weight", "b_Q": "q_proj.bias",
             "b_O": "o_proj.bias", "g_Q": "q_norm.weight"}

    bias: frozenset[str] = frozenset()
    qk_norm: bool = False

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Queries and output; biases and a norm of the query heads where asked for."""
        q = d.n_heads * d.d_head
        yield Matrix("W_Q", (q, d.d_model), "queries")
        yield Matrix("W_O", (d.d_model, q), "output")
        if self.has_bias("qkv"):
            yield Matrix("b_Q", (q,), "bias of the queries", "bias")
        if self.has_bias("attn-out"):
            yield Matrix("b_O", (d.d_model,), "bias of the output", "bias")
        if self.qk_norm:
            yield Matrix("g_Q", (d.d_head,), "norm of each query head", "gain")

    def products(self, d: Dims) -> Iterator[Product]:
        """Scores and weighted sums of every head; what it looks at is kept by the layer below."""
        return scores_and_sums(d.n_heads, d.d_head, d.d_head)
