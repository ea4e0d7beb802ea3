"""The convolution of a Conformer: gated channels, each of them over some frames."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.mamba import D_INNER, K_CONV
from symparam.dims import D_MODEL
from symparam.ledger import Matrix


class ConformerConvolution(Component):
    """Up to d_inner channels and a gate for each, one filter a channel, and down to d_model.

    ``W_in`` (2·d_inner, d_model, 1) and ``W_out`` (d_model, d_inner, 1) are convolutions of one
    frame, ``W_conv`` is (d_inner, 1, k_conv). The first two may have biases
    (``convolution``), and so may the ``filters``. Norms stand beside it.
    """

    name = "conformer"
    slot = "convolution"
    title = "convolution of a Conformer"
    source = "Gulati et al. 2020, arXiv:2005.08100, section 2.2"
    prefix = "conv."
    dims = (D_MODEL, D_INNER, K_CONV)
    example = {"d_model": 5, "d_inner": 7, "k_conv": 3}
    bias_sites = ("convolution", "filters")
    names = {"W_in": "pointwise_conv1.weight", "b_in": "pointwise_conv1.bias",
             "W_conv": "depthwise_conv.weight", "b_conv": "depthwise_conv.bias",
             "W_out": "pointwise_conv2.weight", "b_out": "pointwise_conv2.bias"}

    bias: frozenset[str] = frozenset()

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Inwards, convolution, outwards; their biases where asked for."""
        yield Matrix("W_in", (2 * d.d_inner, d.d_model, 1), "channels and gates")
        yield Matrix("W_conv", (d.d_inner, 1, d.k_conv), "convolution", "convolution")
        yield Matrix("W_out", (d.d_model, d.d_inner, 1), "output")
        if self.has_bias("convolution"):
            yield Matrix("b_in", (2 * d.d_inner,), "bias of channels and gates", "bias")
            yield Matrix("b_out", (d.d_model,), "bias of the output", "bias")
        if self.has_bias("filters"):
            yield Matrix("b_conv", (d.d_inner,), "bias of the convolution", "bias")
