"""Attention that sees the embedding beside the stream."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims, equation
from symparam.components.attention import keys_and_values, scores_and_sums
from symparam.constraints import Divides
from symparam.dims import D_HEAD, D_MODEL, N_HEADS, N_KV, Dim
from symparam.ledger import Matrix, Product, State

D_CONCAT = Dim("d_concat", r"d_{\text{concat}}",
               "width of the stream and the embedding side by side")


class ConcatenatedAttention(Component):
    """Zamba's attention: its input is the stream with the token embedding beside it.

    Queries are (n_heads·d_head, d_concat), keys and values (n_kv·d_head, d_concat); ``W_O``
    (d_model, n_heads·d_head) leads back to the stream's width.
    """

    name = "concatenated"
    slot = "attention"
    title = "attention over stream and embedding"
    source = "Glorioso et al. 2024, arXiv:2405.16712, section 2"
    prefix = "self_attn."
    dims = (D_MODEL, N_HEADS, N_KV, D_HEAD, D_CONCAT)
    example = {"d_model": 11, "n_heads": 3, "n_kv": 2, "d_head": 5, "d_concat": 7}
    equations = (equation("d_concat", "2*d_model", "the embedding is as wide as the stream"),
                 equation("d_head", "2*d_model/n_heads", "heads split the stream and embedding"))
    checks = (Divides("n_kv", "n_heads", "each key-value head serves equally many query heads"),)
    names = {"W_Q": "q_proj.weight", "W_K": "k_proj.weight", "W_V": "v_proj.weight",
             "W_O": "o_proj.weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Queries, keys, values and output."""
        yield Matrix("W_Q", (d.n_heads * d.d_head, d.d_concat), "queries")
        yield Matrix("W_K", (d.n_kv * d.d_head, d.d_concat), "keys")
        yield Matrix("W_V", (d.n_kv * d.d_head, d.d_concat), "values")
        yield Matrix("W_O", (d.d_model, d.n_heads * d.d_head), "output")

    def state(self, d: Dims) -> Iterator[State]:
        """A key and a value for each key-value head and token."""
        return keys_and_values(d.n_kv, d.d_head, d.d_head)

    def products(self, d: Dims) -> Iterator[Product]:
        """Scores and weighted sums of every head."""
        return scores_and_sums(d.n_heads, d.d_head, d.d_head)
