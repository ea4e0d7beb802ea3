"""A convolution over a picture, or over what an encoder made of its patches."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.mamba import K_CONV
from symparam.components.projection import D_EMBED
from symparam.dims import D_MODEL
from symparam.ledger import Matrix


class PlaneConvolution(Component):
    """From d_embed channels to d_model: (d_model, d_embed, k_conv, k_conv), or one place alone.

    ``single``: the filters see one place, and k_conv is 1.
    """

    name = "plane"
    slot = "convolution"
    title = "convolution over a plane"
    source = "Kirillov et al. 2023, arXiv:2304.02643, appendix A (the neck)"
    in_block = False
    dims = (D_EMBED, D_MODEL, K_CONV)
    example = {"d_embed": 7, "d_model": 5, "k_conv": 3}
    bias_sites = ("convolution",)
    names = {"W_conv": "weight", "b_conv": "bias"}

    bias: frozenset[str] = frozenset()
    single: bool = False

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The filters, and their bias where asked for."""
        side = (1, 1) if self.single else (d.k_conv, d.k_conv)
        yield Matrix("W_conv", (d.d_model, d.d_embed, *side), "convolution", "convolution")
        if self.has_bias("convolution"):
            yield Matrix("b_conv", (d.d_model,), "bias of the convolution", "bias")
