"""A convolution over a plane that keeps channels apart."""

from __future__ import annotations

from symparam.component import Dims
from symparam.components.mamba import K_CONV
from symparam.components.plane_convolution import Filters
from symparam.dims import D_MODEL
from symparam.ledger import Number


class ChannelPlane(Filters):
    """One filter for each of d_model channels: (d_model, 1, k_conv, k_conv)."""

    name = "channel-plane"
    title = "convolution of each channel over a plane"
    source = "Howard et al. 2017, arXiv:1704.04861, section 3.1"
    dims = (D_MODEL, K_CONV)
    example = {"d_model": 5, "k_conv": 3}
    axes = 2

    def inwards(self, d: Dims) -> Number:
        """Each filter sees its own channel alone."""
        return 1
