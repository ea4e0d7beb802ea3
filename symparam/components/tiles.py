"""Positions of the tiles that a large picture is cut into."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.patches import D_PATCH
from symparam.components.picture_positions import D_IMAGE, N_SIDE, PicturePositions
from symparam.dims import D_MODEL, Dim
from symparam.ledger import Matrix

N_TILES = Dim("n_tiles", r"n_{\text{tiles}}", "tiles that a picture is cut into, at most", (
    "max_num_tiles",))
N_RATIOS = Dim("n_ratios", r"n_{\text{ratios}}", "ways in which tiles can lie, and one for none")


class TilePositions(Component):
    """A row for each way in which tiles can lie, with d_model numbers for each tile, and a gate."""

    name = "tiles"
    slot = "tiles"
    title = "positions of tiles"
    source = "transformers, models/mllama, MllamaPrecomputedAspectRatioEmbedding"
    in_block = False
    dims = (N_RATIOS, N_TILES, D_MODEL)
    example = {"n_ratios": 7, "n_tiles": 3, "d_model": 5}
    names = {"W_T": "embedding.weight", "s_T": "gate"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The table and the gate."""
        yield Matrix("W_T", (d.n_ratios, d.n_tiles * d.d_model), "positions of tiles", "embedding")
        yield Matrix("s_T", (1,), "gate of the positions", "gain")


class PatchTilePositions(Component):
    """Learned positions of patches, one table for any tile and one for each, with a gate between.

    The second has a row for each way in which tiles can lie, with d_model numbers for each patch
    of each tile.
    """

    name = "patches"
    slot = "tiles"
    title = "positions of patches in tiles"
    source = "transformers, models/mllama, MllamaPrecomputedPositionEmbedding"
    in_block = False
    dims = (D_IMAGE, D_PATCH, N_SIDE, N_RATIOS, N_TILES, D_MODEL)
    example = {"d_image": 13, "d_patch": 2, "n_side": 11, "n_ratios": 7, "n_tiles": 3, "d_model": 5}
    equations = PicturePositions.equations
    names = {"W_P": "embedding", "W_T": "tile_embedding.weight", "s_P": "gate"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Both tables and the gate; a class token has a position as well."""
        rows = d.n_side * d.n_side + 1
        yield Matrix("W_P", (rows, d.d_model), "position embedding", "embedding")
        yield Matrix("W_T", (d.n_ratios, d.n_tiles * rows * d.d_model), "positions in tiles",
                     "embedding")
        yield Matrix("s_P", (1,), "gate between them", "gain")
