"""Relative positions of patches, of rows and of columns apart."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.patches import D_PATCH
from symparam.components.picture_positions import D_IMAGE, N_SIDE, PicturePositions
from symparam.constraints import Equation, Standing
from symparam.dims import D_HEAD, Dim
from symparam.expression import Num, Sym
from symparam.ledger import Matrix

N_WINDOW = Dim("n_window", r"n_{\text{window}}", "patches along a side of a window", (
    "window_size",))
N_DISTANCES = Dim("n_distances", r"n_{\text{dist}}", "distances along a side of a picture")
N_NEAR = Dim("n_near", r"n_{\text{near}}", "distances along a side of a window")


class SidePositions(Component):
    """A row of d_head for each distance along a side, for rows and for columns, in each layer.

    Of a side of n patches there are 2n − 1 distances. The side is a picture's, or a window's
    where the layer sees one alone, ``seen``.
    """

    name = "sides"
    slot = "positions"
    title = "relative positions along both sides"
    source = "Li et al. 2021, arXiv:2112.01526, section 3.1; Kirillov et al. 2023, arXiv:2304.02643"
    dims = (D_IMAGE, D_PATCH, N_SIDE, N_WINDOW, N_DISTANCES, N_NEAR, D_HEAD)
    example = {"d_image": 13, "d_patch": 3, "n_side": 7, "n_window": 17, "n_distances": 11,
               "n_near": 2, "d_head": 5}
    equations = (
        *PicturePositions.equations,
        Equation("n_distances", Num(2) * Sym("n_side") - Num(1), "as far back as forth",
                 Standing.DEFINITION),
        Equation("n_near", Num(2) * Sym("n_window") - Num(1), "as far back as forth",
                 Standing.DEFINITION))
    names = {"R_rows": "rel_pos_h", "R_columns": "rel_pos_w"}

    seen: bool = False

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Both tables."""
        for name, what in (("R_rows", "distances of rows"), ("R_columns", "distances of columns")):
            rows = d.n_near if self.seen else d.n_distances
            yield Matrix(name, (rows, d.d_head), what, "embedding")
