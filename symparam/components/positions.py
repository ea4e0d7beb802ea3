"""Ways to tell positions that have no weights: rotation, a linear bias on scores, none."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.constraints import Divides
from symparam.dims import D_HEAD
from symparam.ledger import Matrix


class _Weightless(Component, abstract=True):
    """No matrices."""

    slot = "positions"

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Nothing."""
        yield from ()


class RotaryPositions(_Weightless):
    """Rotary positions: queries and keys are rotated pair by pair, so d_head must be even."""

    name = "rope"
    title = "rotary positions"
    source = "Su et al. 2021, arXiv:2104.09864, section 3.2"
    dims = (D_HEAD,)
    example = {"d_head": 5}
    checks = (Divides(2, "d_head", "rotary positions turn pairs of coordinates"),)


class LinearBiases(_Weightless):
    """ALiBi: a fixed slope a head on the scores, nothing learned."""

    name = "alibi"
    title = "linear biases (ALiBi)"
    source = "Press et al. 2021, arXiv:2108.12409, section 3"


class NoPositions(_Weightless):
    """No position information besides the causal mask."""

    name = "none"
    title = "no positions"
    source = "Kazemnejad et al. 2023, arXiv:2305.19466, section 2"
