"""Sinusoidal positions: computed, and sometimes stored all the same."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL, N_CTX
from symparam.ledger import Matrix


class SinusoidalPositions(Component):
    """Sines and cosines of the position, added to the tokens once; nothing is learned.

    Most models compute them. Some keep the table of (n_ctx, d_model) as a parameter that is not
    trained: ``stored`` lists it.
    """

    name = "sinusoidal"
    slot = "positions"
    title = "sinusoidal positions"
    source = "Vaswani et al. 2017, arXiv:1706.03762, section 3.5"
    in_block = False
    prefix = "embed_positions."
    dims = (N_CTX, D_MODEL)
    example = {"n_ctx": 7, "d_model": 5}
    names = {"W_P": "weight"}

    stored: bool = False

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The table, where it is stored."""
        if self.stored:
            yield Matrix("W_P", (d.n_ctx, d.d_model), "position table", "embedding",
                         status="frozen")
