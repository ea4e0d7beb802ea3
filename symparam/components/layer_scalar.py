"""A number by which a block's output is multiplied, kept in the checkpoint and not trained."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.ledger import Matrix


class LayerScalar(Component):
    """One number a layer, a buffer of the checkpoint: not counted as a parameter."""

    name = "layer-scalar"
    slot = "scalar"
    title = "layer's factor"
    source = "transformers, models/gemma4"
    names = {"factor": "layer_scalar"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The number."""
        yield Matrix("factor", (1,), "factor of the layer's output", "gain", status="buffer")
