"""A convolution along time, from some channels to others."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.mamba import K_CONV
from symparam.components.projection import D_EMBED
from symparam.dims import D_MODEL
from symparam.ledger import Matrix


class LineConvolution(Component):
    """From d_embed channels to d_model over k_conv moments: (d_model, d_embed, k_conv).

    Of a ``sound`` there is one channel that goes in: its samples. ``single``: it sees one moment.
    """

    name = "line"
    slot = "convolution"
    title = "convolution over time"
    source = "Baevski et al. 2020, arXiv:2006.11477, section 2"
    in_block = False
    dims = (D_EMBED, D_MODEL, K_CONV)
    example = {"d_embed": 7, "d_model": 5, "k_conv": 3}
    bias_sites = ("convolution",)
    names = {"W_conv": "weight", "b_conv": "bias"}

    bias: frozenset[str] = frozenset()
    sound: bool = False
    single: bool = False

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The filters, and their bias where asked for."""
        inwards = 1 if self.sound else d.d_embed
        length = 1 if self.single else d.k_conv
        yield Matrix("W_conv", (d.d_model, inwards, length), "convolution", "convolution")
        if self.has_bias("convolution"):
            yield Matrix("b_conv", (d.d_model,), "bias of the convolution", "bias")
