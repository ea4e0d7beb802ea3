"""The frequencies of rotary positions, where a checkpoint holds them."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims, equation
from symparam.dims import D_HEAD, Dim
from symparam.ledger import Matrix

N_PAIRS = Dim("n_pairs", r"n_{\text{pairs}}", "pairs of coordinates that rotary positions turn")


class RotaryFrequencies(Component):
    """One frequency for each pair of a head's coordinates: a buffer of n_pairs, no parameter.

    Most models compute them; some checkpoints hold them.
    """

    name = "rotary-frequencies"
    slot = "rotary-frequencies"
    title = "stored rotary frequencies"
    source = "Su et al. 2021, arXiv:2104.09864, section 3.2.2"
    in_block = False
    prefix = "rotary_embeddings."
    dims = (N_PAIRS, D_HEAD)
    example = {"n_pairs": 2, "d_head": 5}
    equations = (equation("n_pairs", "d_head/2", "a pair is two coordinates of a head"),)
    names = {"f": "inv_freq"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The buffer."""
        yield Matrix("f", (d.n_pairs,), "frequencies", "state", status="buffer")
