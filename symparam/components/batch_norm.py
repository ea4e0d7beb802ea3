"""Batch normalisation: what is learned, and what is kept of the batches that were seen."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL
from symparam.ledger import Matrix


class BatchNorm(Component):
    """A gain and a shift of d_model; means and variances of as many channels are buffers.

    A checkpoint has the number of batches that were seen too: one number without an axis.
    """

    name = "batchnorm"
    slot = "batch-norm"
    title = "BatchNorm"
    source = "Ioffe and Szegedy 2015, arXiv:1502.03167, algorithm 1"
    prefix = "batch_norm."
    dims = (D_MODEL,)
    example = {"d_model": 5}
    names = {"gain": "weight", "shift": "bias", "mean": "running_mean", "variance": "running_var",
             "batches": "num_batches_tracked"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Gain and shift; mean, variance and number of batches as buffers."""
        yield Matrix("gain", (d.d_model,), "gain", "gain")
        yield Matrix("shift", (d.d_model,), "shift", "bias")
        yield Matrix("mean", (d.d_model,), "running mean", "state", status="buffer")
        yield Matrix("variance", (d.d_model,), "running variance", "state", status="buffer")
        yield Matrix("batches", (), "number of batches seen", "state", status="buffer")
