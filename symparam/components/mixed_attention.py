"""ConvBERT's attention: half of the heads' width attends, the other half is a convolution."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.attention import keys_and_values, scores_and_sums
from symparam.components.mamba import K_CONV
from symparam.dims import D_HEAD, D_MODEL, N_HEADS
from symparam.ledger import Matrix, Product, State


class MixedAttention(Component):
    """Self-attention and a convolution whose filters depend on the token, side by side.

    Queries, keys and values are (n_heads·d_head, d_model); keys of the convolution come from a
    separable convolution over k_conv tokens, ``W_dw`` (d_model, 1, k_conv) and ``W_pw``;
    ``W_F`` (n_heads·k_conv, n_heads·d_head) makes the filters, ``W_C`` what they are applied to.
    The output ``W_O`` takes both halves, 2·n_heads·d_head.
    """

    name = "mixed"
    slot = "attention"
    title = "mixed attention (ConvBERT)"
    source = "Jiang et al. 2020, arXiv:2008.02496, section 3.2"
    prefix = "attention."
    dims = (D_MODEL, N_HEADS, D_HEAD, K_CONV)
    example = {"d_model": 11, "n_heads": 3, "d_head": 5, "k_conv": 7}
    bias_sites = ("qkv", "attn-out")
    names = {"W_Q": "self.query.weight", "b_Q": "self.query.bias", "W_K": "self.key.weight",
             "b_K": "self.key.bias", "W_V": "self.value.weight", "b_V": "self.value.bias",
             "W_dw": "self.key_conv_attn_layer.depthwise.weight",
             "W_pw": "self.key_conv_attn_layer.pointwise.weight",
             "b_pw": "self.key_conv_attn_layer.bias",
             "W_F": "self.conv_kernel_layer.weight", "b_F": "self.conv_kernel_layer.bias",
             "W_C": "self.conv_out_layer.weight", "b_C": "self.conv_out_layer.bias",
             "W_O": "output.dense.weight", "b_O": "output.dense.bias"}

    bias: frozenset[str] = frozenset()

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Attention, convolution, and the output of both."""
        width = d.n_heads * d.d_head
        yield Matrix("W_Q", (width, d.d_model), "queries")
        yield Matrix("W_K", (width, d.d_model), "keys")
        yield Matrix("W_V", (width, d.d_model), "values")
        yield from self._convolution(d)
        yield Matrix("W_O", (d.d_model, 2 * d.n_heads * d.d_head), "output")
        if self.has_bias("qkv"):
            yield Matrix("b_Q", (width,), "bias of the queries", "bias")
            yield Matrix("b_K", (width,), "bias of the keys", "bias")
            yield Matrix("b_V", (width,), "bias of the values", "bias")
        if self.has_bias("attn-out"):
            yield Matrix("b_O", (d.d_model,), "bias of the output", "bias")

    def _convolution(self, d: Dims) -> Iterator[Matrix]:
        """What the convolution is made of; its biases are always there."""
        width, filters = d.n_heads * d.d_head, d.n_heads * d.k_conv
        yield Matrix("W_dw", (d.d_model, 1, d.k_conv), "keys over tokens", "convolution")
        yield Matrix("W_pw", (width, d.d_model, 1), "keys over channels")
        yield Matrix("b_pw", (width, 1), "bias of the convolution's keys", "bias")
        yield Matrix("W_F", (filters, width), "filters")
        yield Matrix("b_F", (filters,), "bias of the filters", "bias")
        yield Matrix("W_C", (width, d.d_model), "channels of the convolution")
        yield Matrix("b_C", (width,), "bias of the channels", "bias")

    def state(self, d: Dims) -> Iterator[State]:
        """A key and a value for each head and token."""
        return keys_and_values(d.n_heads, d.d_head, d.d_head)

    def products(self, d: Dims) -> Iterator[Product]:
        """Scores and weighted sums of every head; each token's filters on its neighbours."""
        yield from scores_and_sums(d.n_heads, d.d_head, d.d_head)
        yield Product("filtered", (d.n_heads, d.d_head, d.k_conv), "filters with channels",
                      over="nothing")
