"""Numbers between which what goes into a matrix and comes out of it is kept."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.ledger import Matrix


class ClipBounds(Component):
    """Four numbers of one matrix, buffers of the checkpoint: not counted as parameters.

    The least and the greatest of what goes in, and of what comes out.
    """

    name = "clip"
    slot = "bounds"
    title = "bounds of a matrix"
    source = "transformers, models/gemma4, Gemma4ClippableLinear"
    names = {"in_min": "input_min", "in_max": "input_max", "out_min": "output_min",
             "out_max": "output_max"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The four numbers."""
        for name, what in (("in_min", "least input"), ("in_max", "greatest input"),
                           ("out_min", "least output"), ("out_max", "greatest output")):
            yield Matrix(name, (), what, "gain", status="buffer")
