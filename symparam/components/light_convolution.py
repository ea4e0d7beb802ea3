"""The convolution module of a Conformer: a gated matrix, a filter a channel, a matrix."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.mamba import K_CONV
from symparam.dims import D_MODEL
from symparam.ledger import Matrix


class LightConvolution(Component):
    """``W_in`` is (2·d_model, d_model): one half is the gate of the other. Each channel then has a
    filter of its own over k_conv moments, and ``W_out`` mixes the channels."""

    name = "light"
    slot = "convolution"
    title = "convolution module"
    source = "Gulati et al. 2020, arXiv:2005.08100, section 2.2"
    prefix = "lconv1d."
    dims = (D_MODEL, K_CONV)
    example = {"d_model": 5, "k_conv": 3}
    names = {"W_in": "linear_start.weight", "W_conv": "depthwise_conv1d.weight",
             "W_out": "linear_end.weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Both matrices and the filters between them."""
        yield Matrix("W_in", (2 * d.d_model, d.d_model), "what is kept, and its gate")
        yield Matrix("W_conv", (d.d_model, 1, d.k_conv), "filter of each channel", "convolution")
        yield Matrix("W_out", (d.d_model, d.d_model), "mixes the channels")
