"""A gate of relative positions that a query opens."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_HEAD, N_HEADS
from symparam.ledger import Matrix


class PositionGate(Component):
    """From a head's d_head numbers to eight, which make two gates; a factor for each head."""

    name = "gated-positions"
    slot = "position-gate"
    title = "gate of relative positions"
    source = "Chen et al. 2021, WavLM, arXiv:2110.13900, section III"
    prefix = "attention."
    dims = (N_HEADS, D_HEAD)
    example = {"n_heads": 3, "d_head": 5}
    names = {"W_gate": "gru_rel_pos_linear.weight", "b_gate": "gru_rel_pos_linear.bias",
             "factor": "gru_rel_pos_const"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Factor, matrix and bias; all heads share the matrix."""
        yield Matrix("factor", (1, d.n_heads, 1, 1), "factor of each head", "gain")
        yield Matrix("W_gate", (8, d.d_head), "gates of the positions", times=d.n_heads)
        yield Matrix("b_gate", (8,), "bias of the gates", "bias")
