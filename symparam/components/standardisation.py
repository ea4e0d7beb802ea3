"""A mean and a scale, measured once, by which what an encoder puts out is standardised."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL
from symparam.ledger import Matrix


class Standardisation(Component):
    """A shift and a scale of d_model, buffers of the checkpoint: not counted as parameters."""

    name = "measured"
    slot = "standardisation"
    title = "standardisation of what comes out"
    source = "transformers, models/gemma4, Gemma4VisionModel"
    in_block = False
    dims = (D_MODEL,)
    example = {"d_model": 5}
    names = {"shift": "std_bias", "scale": "std_scale"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The shift and the scale."""
        yield Matrix("shift", (d.d_model,), "what is taken away", "bias", status="buffer")
        yield Matrix("scale", (d.d_model,), "what it is multiplied by", "gain", status="buffer")
