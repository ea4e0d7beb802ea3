"""A convolution along time, from some channels to others."""

from __future__ import annotations

from symparam.component import Dims
from symparam.components.plane_convolution import Filters
from symparam.ledger import Number


class LineConvolution(Filters):
    """From d_embed channels to d_model over k_conv moments: (d_model, d_embed, k_conv).

    Of a ``sound`` there is one channel that goes in: its samples. ``single``: it sees one moment.
    """

    name = "line"
    title = "convolution over time"
    source = "Baevski et al. 2020, arXiv:2006.11477, section 2"
    axes = 1

    sound: bool = False

    def inwards(self, d: Dims) -> Number:
        """One channel of samples, or those of the layer before."""
        return 1 if self.sound else d.d_embed
