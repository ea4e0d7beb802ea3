"""A convolution over neighbouring tokens that mixes all channels."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.mamba import K_CONV
from symparam.dims import D_MODEL
from symparam.ledger import Matrix


class Convolution(Component):
    """Each channel of k_conv tokens goes into each channel: (d_model, d_model, k_conv).

    DeBERTa V2 XL has one, beside its first layer.
    """

    name = "convolution"
    slot = "mixer"
    title = "convolution over tokens"
    source = "microsoft/DeBERTa, DeBERTa/deberta/bert.py, class ConvLayer"
    in_block = False
    prefix = "conv."
    dims = (D_MODEL, K_CONV)
    example = {"d_model": 5, "k_conv": 3}
    bias_sites = ("mixer",)
    names = {"W_conv": "weight", "b_conv": "bias"}

    bias: frozenset[str] = frozenset()

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The filters, and their bias where asked for."""
        yield Matrix("W_conv", (d.d_model, d.d_model, d.k_conv), "convolution", "convolution")
        if self.has_bias("mixer"):
            yield Matrix("b_conv", (d.d_model,), "bias of the convolution", "bias")
