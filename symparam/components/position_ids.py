"""The numbers of the positions, where a checkpoint holds them."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import Dim
from symparam.ledger import Matrix

N_IDS = Dim("n_ids", r"n_{\text{ids}}", "positions whose numbers a checkpoint holds")


class PositionIds(Component):
    """0, 1, 2 ... as a buffer of (1, n_ids); no parameter. Most models make them when they run."""

    name = "position-ids"
    slot = "position-ids"
    title = "stored numbers of positions"
    source = "transformers, models/mra, MraEmbeddings"
    in_block = False
    dims = (N_IDS,)
    example = {"n_ids": 5}
    names = {"ids": "position_ids"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The buffer."""
        yield Matrix("ids", (1, d.n_ids), "numbers of positions", "state", status="buffer")
