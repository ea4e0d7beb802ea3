"""Attention inside a bottleneck that takes its values from the full width."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims, equation
from symparam.components.attention import keys_and_values, scores_and_sums
from symparam.constraints import Standing
from symparam.dims import D_HEAD, D_MODEL, N_HEADS, Dim
from symparam.ledger import Matrix, Product, State

D_BOTTLENECK = Dim("d_bottleneck", r"d_{\text{bottle}}", "width of a layer inside its bottleneck",
                   ("intra_bottleneck_size",))
_WHY = "heads split the width of the bottleneck"


class BottleneckAttention(Component):
    """Queries, keys and output are (n_heads·d_head, d_bottleneck) or the reverse.

    Values come from outside the bottleneck: ``W_V`` is (n_heads·d_head, d_model).
    """

    name = "bottleneck"
    slot = "attention"
    title = "attention in a bottleneck"
    source = "Sun et al. 2020, MobileBERT, arXiv:2004.02984, section 3.1 and figure 1"
    prefix = "attention."
    dims = (D_MODEL, D_BOTTLENECK, N_HEADS, D_HEAD)
    example = {"d_model": 11, "d_bottleneck": 7, "n_heads": 3, "d_head": 5}
    equations = (equation("d_head", "d_bottleneck/n_heads", _WHY),
                 equation("n_heads", "d_bottleneck/d_head", _WHY, Standing.INVERSE))
    bias_sites = ("qkv", "attn-out")
    names = {"W_Q": "q_proj.weight", "b_Q": "q_proj.bias", "W_K": "k_proj.weight",
             "b_K": "k_proj.bias", "W_V": "v_proj.weight", "b_V": "v_proj.bias",
             "W_O": "o_proj.weight", "b_O": "o_proj.bias"}

    bias: frozenset[str] = frozenset()

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Queries, keys, values and output, with their biases where asked for."""
        width = d.n_heads * d.d_head
        yield Matrix("W_Q", (width, d.d_bottleneck), "queries")
        yield Matrix("W_K", (width, d.d_bottleneck), "keys")
        yield Matrix("W_V", (width, d.d_model), "values")
        yield Matrix("W_O", (d.d_bottleneck, width), "output")
        if self.has_bias("qkv"):
            yield Matrix("b_Q", (width,), "bias of the queries", "bias")
            yield Matrix("b_K", (width,), "bias of the keys", "bias")
            yield Matrix("b_V", (width,), "bias of the values", "bias")
        if self.has_bias("attn-out"):
            yield Matrix("b_O", (d.d_bottleneck,), "bias of the output", "bias")

    def state(self, d: Dims) -> Iterator[State]:
        """A key and a value for each head and token."""
        return keys_and_values(d.n_heads, d.d_head, d.d_head)

    def products(self, d: Dims) -> Iterator[Product]:
        """Scores and weighted sums of every head."""
        return scores_and_sums(d.n_heads, d.d_head, d.d_head)
