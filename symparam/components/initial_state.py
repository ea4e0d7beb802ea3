"""A state that a recurrent model starts from."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL
from symparam.ledger import Matrix


class InitialState(Component):
    """A vector of d_model from which every sequence starts; it is stored and not trained."""

    name = "initial"
    slot = "state"
    title = "initial state"
    source = "Wang et al. 2025, arXiv:2506.21734, section 2; transformers, models/hrm_text"
    in_block = False
    dims = (D_MODEL,)
    example = {"d_model": 5}
    names = {"z": "z_L_init"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The vector."""
        yield Matrix("z", (d.d_model,), "state at the start", "state", status="frozen")
