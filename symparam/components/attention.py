"""Softmax attention with separate query and key-value heads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from symparam.component import Component, Dims, equation
from symparam.constraints import Divides, Standing
from symparam.dims import D_HEAD, D_MODEL, N_HEADS, N_KV, Dim
from symparam.ledger import Matrix, Number, Over, Product, State, Stream

#: A default, and the same read backwards.
SPLIT = equation("d_head", "d_model/n_heads", "heads split the width")
HEADS = equation("n_heads", "d_model/d_head", "heads split the width", Standing.INVERSE)
#: What queries, keys, values and output are called in a checkpoint, and their biases.
PROJECTIONS = {"W_Q": "q_proj.weight", "W_K": "k_proj.weight", "W_V": "v_proj.weight",
               "W_O": "o_proj.weight", "b_Q": "q_proj.bias", "b_K": "k_proj.bias",
               "b_V": "v_proj.bias", "b_O": "o_proj.bias"}
_WHY_FULL = "multi-head: each query head has its own key and value"
_WHY_ONE = "multi-query: all query heads share one key and value"
#: What multi-head attention is.
OWN_KEYS = equation("n_kv", "n_heads", _WHY_FULL, Standing.DEFINITION)


def keys_and_values(heads: Number, key: Number, value: Number,
                    stream: Stream = "token") -> Iterator[State]:
    """A key and a value of each key-value head, for each token of a stream."""
    yield State("K", (heads, key), "keys", stream=stream)
    yield State("V", (heads, value), "values", stream=stream)


def scores_and_sums(heads: Number, key: Number, value: Number,
                    over: Over = "keys") -> Iterator[Product]:
    """Each query head with every key that it sees, then its weights with their values."""
    yield Product("scores", (heads, key), "queries with keys", over=over)
    yield Product("sums", (heads, value), "weights with values", over=over)


class _Attention(Component, abstract=True):
    """The matrices that all three kinds share; they differ in what n_kv may be."""

    slot = "attention"
    prefix = "self_attn."
    dims: ClassVar[tuple[Dim, ...]] = (D_MODEL, N_HEADS, N_KV, D_HEAD)
    example = {"d_model": 11, "n_heads": 3, "n_kv": 2, "d_head": 5}
    checks = (Divides("n_kv", "n_heads", "each key-value head serves equally many query heads"),)
    bias_sites = ("qkv", "attn-out")
    names = {**PROJECTIONS, "g_Q": "q_norm.weight", "g_K": "k_norm.weight"}

    bias: frozenset[str] = frozenset()
    qk_norm: bool = False

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Queries, keys, values and output; biases and head norms where asked for."""
        q, kv = d.n_heads * d.d_head, d.n_kv * d.d_head
        yield Matrix("W_Q", (q, d.d_model), "queries")
        yield Matrix("W_K", (kv, d.d_model), "keys")
        yield Matrix("W_V", (kv, d.d_model), "values")
        yield Matrix("W_O", (d.d_model, q), "output")
        if self.has_bias("qkv"):
            yield Matrix("b_Q", (q,), "bias of the queries", "bias")
            yield Matrix("b_K", (kv,), "bias of the keys", "bias")
            yield Matrix("b_V", (kv,), "bias of the values", "bias")
        if self.has_bias("attn-out"):
            yield Matrix("b_O", (d.d_model,), "bias of the output", "bias")
        if self.qk_norm:
            yield Matrix("g_Q", (d.d_head,), "norm of each query head", "gain")
            yield Matrix("g_K", (d.d_head,), "norm of each key head", "gain")

    def state(self, d: Dims) -> Iterator[State]:
        """A key and a value of d_head for each key-value head and token."""
        return keys_and_values(d.n_kv, d.d_head, d.d_head)

    def products(self, d: Dims) -> Iterator[Product]:
        """Scores and weighted sums of every query head, whatever n_kv is."""
        return scores_and_sums(d.n_heads, d.d_head, d.d_head)


class MultiHeadAttention(_Attention):
    """Multi-head attention: as many key-value heads as query heads.

    ``W_Q``, ``W_K``, ``W_V`` are (n_heads·d_head, d_model), ``W_O`` is (d_model, n_heads·d_head).
    The head width is free of d_model/n_heads; that heads split the width is a default with a
    name, and GPT-3 13B does not meet it (5140 against 40·128).
    """

    name = "mha"
    title = "multi-head attention"
    source = "Vaswani et al. 2017, arXiv:1706.03762, section 3.2.2"
    equations = (OWN_KEYS, SPLIT, HEADS)


class GroupedQueryAttention(_Attention):
    """Grouped-query attention: n_kv key-value heads, each serving n_heads/n_kv query heads.

    ``W_K`` and ``W_V`` shrink to (n_kv·d_head, d_model). Configurations that say
    ``n_kv_groups`` mean n_kv, a number of key-value heads.
    """

    name = "gqa"
    title = "grouped-query attention"
    source = "Ainslie et al. 2023, arXiv:2305.13245, section 2.2"
    equations = (equation("n_kv", "n_heads", _WHY_FULL, Standing.CANDIDATE),
                 equation("n_kv", "1", _WHY_ONE, Standing.CANDIDATE), SPLIT, HEADS)


class MultiQueryAttention(_Attention):
    """Multi-query attention: one key-value head for all query heads.

    ``W_K`` and ``W_V`` are (d_head, d_model).
    """

    name = "mqa"
    title = "multi-query attention"
    source = "Shazeer 2019, arXiv:1911.02150, section 3"
    equations = (equation("n_kv", "1", _WHY_ONE, Standing.DEFINITION), SPLIT, HEADS)
