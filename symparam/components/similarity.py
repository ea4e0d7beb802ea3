"""What the likeness of two vectors is multiplied by, and what is added to it."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.ledger import Matrix


class Similarity(Component):
    """One number that multiplies the likeness of a text and a picture; with ``shift`` one added.

    ``axes`` is how many axes of length one they have where they are stored.
    """

    name = "similarity"
    slot = "similarity"
    title = "scale of the likeness"
    source = "Radford et al. 2021, arXiv:2103.00020, section 2.3"
    in_block = False
    prefix = ""
    names = {"s": "logit_scale", "b": "logit_bias"}

    axes: int = 0
    shift: bool = False

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The factor, and the shift where asked for."""
        shape = (1,) * self.axes
        yield Matrix("s", shape, "factor of the likeness", "gain")
        if self.shift:
            yield Matrix("b", shape, "shift of the likeness", "bias")
