"""RMSNorm with a gate that depends on what is normed."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL, Dim
from symparam.ledger import Matrix

NORM_RANK = Dim("norm_rank", r"r_{\text{norm}}", "rank of a norm's gate", ("gated_norm_rank",))


class GatedRMSNorm(Component):
    """RMSNorm, then a gate through a low rank: ``y * sigmoid(up(silu(down(y))))``.

    A gain of d_model, ``W_down`` (norm_rank, d_model) and ``W_up`` (d_model, norm_rank).
    """

    name = "gated-rmsnorm"
    slot = "norm"
    title = "gated RMSNorm"
    source = "transformers, models/axk2; Zhang and Sennrich 2019, arXiv:1910.07467 (the norm)"
    dims = (D_MODEL, NORM_RANK)
    example = {"d_model": 5, "norm_rank": 3}
    names = {"gain": "norm.weight", "W_down": "mlp.fc1.weight", "W_up": "mlp.fc2.weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The gain, and the gate down and up."""
        yield Matrix("gain", (d.d_model,), "gain", "gain")
        yield Matrix("W_down", (d.norm_rank, d.d_model), "gate of the norm, down")
        yield Matrix("W_up", (d.d_model, d.norm_rank), "gate of the norm, up")
