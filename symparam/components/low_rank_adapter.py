"""A low-rank addition that each use of a shared matrix has for itself."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_FF, D_MODEL, Dim
from symparam.ledger import Matrix

RANK = Dim("r_adapter", r"r_{\text{adapter}}", "rank of a low-rank adapter", ("adapter_rank",))


class GateUpAdapter(Component):
    """Zamba2's adapter of gate and up together: down to the rank, up to 2·d_ff.

    ``A_down`` is (r_adapter, d_model), ``A_up`` (2·d_ff, r_adapter).
    """

    name = "gate-up"
    slot = "adapter"
    title = "low-rank adapter of gate and up"
    source = "Glorioso et al. 2024, arXiv:2411.15242, section 2"
    prefix = "feed_forward.gate_up_proj_adapter_list.*."
    dims = (D_MODEL, D_FF, RANK)
    example = {"d_model": 11, "d_ff": 7, "r_adapter": 3}
    names = {"A_down": "0.weight", "A_up": "1.weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Down and up."""
        yield Matrix("A_down", (d.r_adapter, d.d_model), "adapter down")
        yield Matrix("A_up", (2 * d.d_ff, d.r_adapter), "adapter up")


class SquareAdapter(Component):
    """Zamba2's adapter of queries, of keys or of values: down to the rank and back.

    ``A_down`` is (r_adapter, d_model), ``A_up`` (d_model, r_adapter).
    """

    name = "square"
    slot = "adapter"
    title = "low-rank adapter"
    source = "Glorioso et al. 2024, arXiv:2411.15242, section 2"
    prefix = "self_attn.linear_q_adapter_list.*."
    dims = (D_MODEL, RANK)
    example = {"d_model": 11, "r_adapter": 3}
    names = {"A_down": "0.weight", "A_up": "1.weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Down and up."""
        yield Matrix("A_down", (d.r_adapter, d.d_model), "adapter down")
        yield Matrix("A_up", (d.d_model, d.r_adapter), "adapter up")
