"""Rounding to a multiple: the only arithmetic on dims besides ``+`` and ``*``.

Components know ``+`` and ``*`` alone; what rounds is a rule for a dim, and comes here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

#: How a value is brought to a multiple; a tie of ``nearest`` goes up.
MODES = ("nearest", "up", "down")


@dataclass(frozen=True, slots=True)
class Rounding:
    """Rounding to a multiple, exact on integers, fractions and integer arrays.

    >>> from fractions import Fraction
    >>> Rounding("up", 256).apply(Fraction(8, 3) * 4096), Rounding("nearest", 256).apply(5461)
    (11008, 5376)
    """

    mode: str
    multiple: int

    def apply(self, value: Any) -> Any:
        """The multiple nearest to the value, or the next one up or down."""
        m = self.multiple
        if self.mode == "up":
            return -(-value // m) * m
        if self.mode == "nearest":
            return (2 * value + m) // (2 * m) * m
        return value // m * m

    def __str__(self) -> str:
        return f"{self.mode} to {self.multiple}"
