"""A convolution over a picture, or over what an encoder made of its patches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from symparam.component import Component, Dims
from symparam.components.mamba import K_CONV
from symparam.components.projection import D_EMBED
from symparam.dims import D_MODEL, Dim
from symparam.ledger import Matrix, Number


class Filters(Component, abstract=True):
    """Filters from d_embed channels to d_model, k_conv wide along each of some axes.

    ``single``: they see one place alone, and k_conv is 1.
    """

    slot = "convolution"
    in_block = False
    dims: ClassVar[tuple[Dim, ...]] = (D_EMBED, D_MODEL, K_CONV)
    example = {"d_embed": 7, "d_model": 5, "k_conv": 3}
    bias_sites = ("convolution",)
    names = {"W_conv": "weight", "b_conv": "bias"}
    axes: ClassVar[int]

    bias: frozenset[str] = frozenset()
    single: bool = False

    def inwards(self, d: Dims) -> Number:
        """The channels that go in."""
        return d.d_embed

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The filters, and their bias where asked for."""
        sides = (1 if self.single else d.k_conv,) * self.axes
        yield Matrix("W_conv", (d.d_model, self.inwards(d), *sides), "convolution", "convolution")
        if self.has_bias("convolution"):
            yield Matrix("b_conv", (d.d_model,), "bias of the convolution", "bias")


class PlaneConvolution(Filters):
    """From d_embed channels to d_model: (d_model, d_embed, k_conv, k_conv), or one place alone."""

    name = "plane"
    title = "convolution over a plane"
    source = "Kirillov et al. 2023, arXiv:2304.02643, appendix A (the neck)"
    axes = 2
