"""Multi-head attention whose keys have no bias."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.attention import HEADS, SPLIT, keys_and_values, scores_and_sums
from symparam.dims import D_HEAD, D_MODEL, N_HEADS
from symparam.ledger import Matrix, Product, State


class QueryValueBiasAttention(Component):
    """Multi-head attention with biases of queries and values, not of keys.

    A bias of the keys adds the same to all scores of a query, and softmax does not see it.
    """

    name = "qv-bias"
    slot = "attention"
    title = "multi-head attention without bias of the keys"
    source = ("as in Whisper (Radford et al. 2022, arXiv:2212.04356; openai/whisper, "
              "whisper/model.py) and DeBERTa (He et al. 2020, arXiv:2006.03654; microsoft/DeBERTa, "
              "DeBERTa/deberta)")
    prefix = "self_attn."
    dims = (D_MODEL, N_HEADS, D_HEAD)
    example = {"d_model": 11, "n_heads": 3, "d_head": 5}
    equations = (SPLIT, HEADS)
    bias_sites = ("qkv", "attn-out")
    names = {"W_Q": "q_proj.weight", "W_K": "k_proj.weight", "W_V": "v_proj.weight",
             "W_O": "o_proj.weight", "b_Q": "q_proj.bias", "b_V": "v_proj.bias",
             "b_O": "o_proj.bias"}

    bias: frozenset[str] = frozenset()

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Queries, keys, values and output, with their biases where asked for."""
        width = d.n_heads * d.d_head
        yield Matrix("W_Q", (width, d.d_model), "queries")
        yield Matrix("W_K", (width, d.d_model), "keys")
        yield Matrix("W_V", (width, d.d_model), "values")
        yield Matrix("W_O", (d.d_model, width), "output")
        if self.has_bias("qkv"):
            yield Matrix("b_Q", (width,), "bias of the queries", "bias")
            yield Matrix("b_V", (width,), "bias of the values", "bias")
        if self.has_bias("attn-out"):
            yield Matrix("b_O", (d.d_model,), "bias of the output", "bias")

    def state(self, d: Dims) -> Iterator[State]:
        """A key and a value for each head and token."""
        return keys_and_values(d.n_heads, d.d_head, d.d_head)

    def products(self, d: Dims) -> Iterator[Product]:
        """Scores and weighted sums of every head."""
        return scores_and_sums(d.n_heads, d.d_head, d.d_head)
