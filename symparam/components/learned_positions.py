"""Learned absolute positions."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL, N_CTX
from symparam.ledger import Matrix


class LearnedPositions(Component):
    """A table with a row of d_model for each of n_ctx positions, added to the tokens once."""

    name = "learned"
    slot = "positions"
    title = "learned positions"
    source = ("Radford et al. 2018, Improving Language Understanding by Generative Pre-Training, "
              "section 3.1; GPT-2 (2019)")
    in_block = False
    prefix = "embed_positions."
    dims = (N_CTX, D_MODEL)
    example = {"n_ctx": 7, "d_model": 5}
    names = {"W_P": "weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The table."""
        yield Matrix("W_P", (d.n_ctx, d.d_model), "position embedding", "embedding")
