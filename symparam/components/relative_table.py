"""A table of relative positions that all layers share."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL, Dim
from symparam.ledger import Matrix

N_REL = Dim("n_rel", r"n_{\text{rel}}", "relative positions told apart in each direction",
            ("position_buckets",))


class RelativeTable(Component):
    """A row of d_model for each relative position, in both directions: (2·n_rel, d_model)."""

    name = "relative-table"
    slot = "relative-table"
    title = "table of relative positions"
    source = "He et al. 2020, arXiv:2006.03654, section 3.1"
    in_block = False
    prefix = "rel_embeddings."
    dims = (N_REL, D_MODEL)
    example = {"n_rel": 3, "d_model": 5}
    names = {"W_R": "weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The table."""
        yield Matrix("W_R", (2 * d.n_rel, d.d_model), "relative position embedding", "embedding",
                     stream="sequence")
