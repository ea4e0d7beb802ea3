"""Learned positions of patches whose place is told by its row and its column."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL, N_CTX, Dim
from symparam.ledger import Matrix

N_ROWS = Dim("n_rows", r"n_{\text{rows}}", "rows of patches that have a position", (
    "pos_emb_height",))
N_COLUMNS = Dim("n_columns", r"n_{\text{columns}}", "columns of patches that have a position", (
    "pos_emb_width",))


class AxisPositions(Component):
    """A row of d_model for each of n_ctx places along one axis of a picture, and along the other.

    The two tables are stored as one, the axis in front; ``inner``, behind the places.
    """

    name = "axes"
    slot = "positions"
    title = "learned positions along two axes"
    source = "transformers, models/gemma4, Gemma4VisionPatchEmbedder"
    in_block = False
    prefix = "position_embedding_table"
    dims = (N_CTX, D_MODEL)
    example = {"n_ctx": 7, "d_model": 5}
    names = {"W_P": ""}

    inner: bool = False

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Both tables."""
        places = (d.n_ctx, 2) if self.inner else (2, d.n_ctx)
        yield Matrix("W_P", (*places, d.d_model), "position embedding", "embedding")


class PlanePositions(Component):
    """A row of d_model for each place of a plane of n_rows by n_columns patches."""

    name = "plane"
    slot = "positions"
    title = "learned positions in a plane"
    source = "Kimi Team 2025, arXiv:2504.07491, section 2.1 (MoonViT)"
    in_block = False
    prefix = "position_embeddings"
    dims = (N_ROWS, N_COLUMNS, D_MODEL)
    example = {"n_rows": 7, "n_columns": 3, "d_model": 5}
    names = {"W_P": ""}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The table."""
        yield Matrix("W_P", (d.n_rows, d.n_columns, d.d_model), "position embedding", "embedding")
