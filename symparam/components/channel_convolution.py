"""A convolution along time that keeps channels apart."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.mamba import K_CONV
from symparam.dims import D_MODEL
from symparam.ledger import Matrix


class ChannelConvolution(Component):
    """One filter of k_conv moments for each of d_model channels: (d_model, 1, k_conv)."""

    name = "channel"
    slot = "convolution"
    title = "convolution of each channel"
    source = "Liu et al. 2022, arXiv:2201.03545, section 2.3"
    dims = (D_MODEL, K_CONV)
    example = {"d_model": 5, "k_conv": 3}
    bias_sites = ("convolution",)
    names = {"W_conv": "weight", "b_conv": "bias"}

    bias: frozenset[str] = frozenset()

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The filters, and their bias where asked for."""
        yield Matrix("W_conv", (d.d_model, 1, d.k_conv), "convolution", "convolution")
        if self.has_bias("convolution"):
            yield Matrix("b_conv", (d.d_model,), "bias of the convolution", "bias")
