"""A convolution of the values over tokens, one filter a head."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.mamba import K_CONV
from symparam.dims import D_HEAD, N_HEADS
from symparam.ledger import Matrix


class HeadConvolution(Component):
    """A skip connection beside an approximate attention: each head's values over k_conv tokens.

    ``W_conv`` is (n_heads, 1, k_conv, 1): one filter for all the d_head numbers of a head.
    """

    name = "head-convolution"
    slot = "head-convolution"
    title = "convolution of the values"
    source = "Xiong et al. 2021, Nyströmformer, arXiv:2102.03902, section 3.3"
    prefix = "attention.self.conv."
    dims = (N_HEADS, D_HEAD, K_CONV)
    example = {"n_heads": 3, "d_head": 7, "k_conv": 5}
    names = {"W_conv": "weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The filters."""
        yield Matrix("W_conv", (d.n_heads, 1, d.k_conv, 1), "convolution", "convolution",
                     times=d.d_head)
