"""Grouped-query attention whose values are wider or narrower than its keys."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.attention import PROJECTIONS, keys_and_values, scores_and_sums
from symparam.components.mla import D_V
from symparam.constraints import Divides
from symparam.dims import D_HEAD, D_MODEL, N_HEADS, N_KV
from symparam.ledger import Matrix, Product, State


class ValueWidthAttention(Component):
    """Grouped-query attention with d_head for queries and keys, and d_v for values.

    ``W_Q`` is (n_heads·d_head, d_model), ``W_K`` (n_kv·d_head, d_model), ``W_V``
    (n_kv·d_v, d_model), ``W_O`` (d_model, n_heads·d_v).
    """

    name = "gqa-values"
    slot = "attention"
    title = "grouped-query attention with values of another width"
    source = "LLM-Core Xiaomi 2026, arXiv:2601.02780, section 2; transformers, models/mimo_v2_flash"
    prefix = "self_attn."
    dims = (D_MODEL, N_HEADS, N_KV, D_HEAD, D_V)
    example = {"d_model": 11, "n_heads": 3, "n_kv": 2, "d_head": 5, "d_v": 7}
    checks = (Divides("n_kv", "n_heads", "each key-value head serves equally many query heads"),)
    bias_sites = ("qkv", "attn-out")
    names = PROJECTIONS

    bias: frozenset[str] = frozenset()

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Queries, keys, values and output; biases where asked for."""
        q, k, v = d.n_heads * d.d_head, d.n_kv * d.d_head, d.n_kv * d.d_v
        yield Matrix("W_Q", (q, d.d_model), "queries")
        yield Matrix("W_K", (k, d.d_model), "keys")
        yield Matrix("W_V", (v, d.d_model), "values")
        yield Matrix("W_O", (d.d_model, d.n_heads * d.d_v), "output")
        if self.has_bias("qkv"):
            yield Matrix("b_Q", (q,), "bias of the queries", "bias")
            yield Matrix("b_K", (k,), "bias of the keys", "bias")
            yield Matrix("b_V", (v,), "bias of the values", "bias")
        if self.has_bias("attn-out"):
            yield Matrix("b_O", (d.d_model,), "bias of the output", "bias")

    def state(self, d: Dims) -> Iterator[State]:
        """A key of d_head and a value of d_v for each key-value head and token."""
        return keys_and_values(d.n_kv, d.d_head, d.d_v)

    def products(self, d: Dims) -> Iterator[Product]:
        """Scores and weighted sums of every head."""
        return scores_and_sums(d.n_heads, d.d_head, d.d_v)
