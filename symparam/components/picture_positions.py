"""Learned positions of the patches of a picture."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.arithmetic import Rounding
from symparam.component import Component, Dims
from symparam.components.patches import D_PATCH
from symparam.constraints import Equation
from symparam.dims import D_MODEL, Dim
from symparam.expression import Sym
from symparam.ledger import Matrix

D_IMAGE = Dim("d_image", r"d_{\text{image}}", "side of a picture, in pixels", (
    "image_size", "img_size"))
N_SIDE = Dim("n_side", r"n_{\text{side}}", "patches along a side of a picture")


class PicturePositions(Component):
    """A table with a row of d_model for each of n_side² patches, and for the vectors beside them.

    ``more`` is the number of vectors beside the patches that have a position (a class token),
    ``axes`` that of the axes of length one in front of the table where it is stored; of a
    ``grid`` both sides are axes. A picture has as many whole patches on a side as go into it.
    """

    name = "picture"
    slot = "positions"
    title = "learned positions of patches"
    source = "Dosovitskiy et al. 2020, arXiv:2010.11929, section 3.1"
    in_block = False
    prefix = "position_embedding.weight"
    dims = (D_IMAGE, D_PATCH, N_SIDE, D_MODEL)
    example = {"d_image": 13, "d_patch": 3, "n_side": 7, "d_model": 5}
    equations = (Equation("n_side", Sym("d_image") / Sym("d_patch"),
                          "as many whole patches as go into a side", rounding=Rounding("down", 1)),)
    names = {"W_P": ""}

    more: int = 0
    axes: int = 0
    grid: bool = False

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The table."""
        rows = d.n_side * d.n_side
        if self.more:
            rows = rows + self.more
        table = (d.n_side, d.n_side) if self.grid else (rows,)
        yield Matrix("W_P", (*(1,) * self.axes, *table, d.d_model), "position embedding",
                     "embedding")
