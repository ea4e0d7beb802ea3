"""Positions that a convolution over the frames tells, its filters normed."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims, equation
from symparam.constraints import Divides
from symparam.dims import D_MODEL, Dim
from symparam.ledger import Matrix

K_POSITIONS = Dim("k_positions", r"k_{\text{pos}}", "frames that a convolution of positions sees", (
    "num_conv_pos_embeddings",))
N_CHANNEL_GROUPS = Dim("n_channel_groups", r"n_{\text{groups,conv}}",
                       "groups of channels that are kept apart", ("num_conv_pos_embedding_groups",))
D_CHANNEL_GROUP = Dim("d_channel_group", r"d_{\text{channel}}", "channels of a group")


class PositionConvolution(Component):
    """Filters of (d_model, d_channel_group, k_positions) and a bias; each group of channels apart.

    ``normed`` filters are stored as their direction, ``W_v``, and a length for each of the frames
    that they see, ``W_g`` of (1, 1, k_positions).
    """

    name = "convolution"
    slot = "position-convolution"
    title = "convolution of positions"
    source = ("Baevski et al. 2020, arXiv:2006.11477, section 2; Salimans and Kingma 2016, "
              "arXiv:1602.07868, section 2")
    in_block = False
    prefix = "pos_conv_embed.conv."
    dims = (D_MODEL, N_CHANNEL_GROUPS, D_CHANNEL_GROUP, K_POSITIONS)
    example = {"d_model": 13, "n_channel_groups": 3, "d_channel_group": 5, "k_positions": 7}
    equations = (equation("d_channel_group", "d_model/n_channel_groups",
                          "groups split the channels"),)
    checks = (Divides("n_channel_groups", "d_model", "groups split the channels"),)
    names = {"W_g": "parametrizations.weight.original0",
             "W_v": "parametrizations.weight.original1", "W_conv": "weight", "b_conv": "bias"}

    normed: bool = True

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The filters, in one part or in two, and their bias."""
        filters = (d.d_model, d.d_channel_group, d.k_positions)
        if self.normed:
            yield Matrix("W_g", (1, 1, d.k_positions), "length of the filters", "gain")
            yield Matrix("W_v", filters, "direction of the filters", "convolution")
        else:
            yield Matrix("W_conv", filters, "convolution", "convolution")
        yield Matrix("b_conv", (d.d_model,), "bias of the convolution", "bias")
