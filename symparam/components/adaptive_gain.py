"""A gain that depends on a condition, through a low rank."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL, Dim
from symparam.ledger import Matrix

GAIN_RANK = Dim("r_gain", r"r_{\text{gain}}", "rank of a conditioned gain")


class AdaptiveGain(Component):
    """Gains of d_model made from a vector of d_model: ``W_in`` (r_gain, d_model), then
    ``W_out`` (d_model, r_gain).
    """

    name = "low-rank"
    slot = "adaptive-gain"
    title = "conditioned gain"
    source = "transformers, models/voxtral_realtime"
    prefix = "ada_rms_norm."
    dims = (D_MODEL, GAIN_RANK)
    example = {"d_model": 5, "r_gain": 3}
    names = {"W_in": "linear1.weight", "W_out": "linear2.weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Down and up."""
        yield Matrix("W_in", (d.r_gain, d.d_model), "condition down")
        yield Matrix("W_out", (d.d_model, d.r_gain), "condition up to gains")
