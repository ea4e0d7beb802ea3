"""Ratios between two dims, and how far a dim may go where one is to be met."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from symparam.arithmetic import decimal
from symparam.dataclass import dataclass


def shown(value: Fraction) -> str:
    """A number as it is said: with a few decimals where those are all of it.

    >>> shown(Fraction(576, 5)), shown(Fraction(8, 3)), shown(Fraction(160))
    ('115.2', '8/3', '160')
    """
    if 10**4 % value.denominator:
        return str(value)
    text = decimal(value, 4)
    return text.rstrip("0").rstrip(".")


@dataclass(frozen=True)
class Ratio:
    """A range for one dim over another: 32 ≤ d_model/L ≤ 256.

    Attributes:
        top, bottom: the dims.
        low, high: the range; one number for both where the ratio is to be held.
        steps: fewer steps than the last of these is a dim away from the range, as widths and depths
            come in steps; below an earlier one is better. None where the range holds to the letter.
    """

    top: str
    bottom: str
    low: Fraction
    high: Fraction
    steps: tuple[int, ...] = ()

    @property
    def dims(self) -> frozenset[str]:
        """Both dims."""
        return frozenset({self.top, self.bottom})

    def holds(self, dims: Mapping[str, Any]) -> Any:
        """Whether it does; over arrays, where it does. Steps are ones of the dim below."""
        return self._reached(self.bottom, dims, 1, max(self.steps, default=0))

    def looseness(self, dim: str, dims: Mapping[str, Any], step: int) -> Any:
        """How many of the tighter steps it does not hold within; over arrays, at each row.

        >>> held = Ratio("d_ff", "d_model", Fraction(4), Fraction(4), steps=(1, 2, 8))
        >>> [held.looseness("d_ff", {"d_model": 512, "d_ff": n}, 64) for n in (2048, 2112, 2304)]
        [0, 1, 2]
        """
        return sum(1 - 1 * self._reached(dim, dims, step, steps) for steps in self.steps[:-1])

    def _reached(self, dim: str, dims: Mapping[str, Any], step: int, steps: int) -> Any:
        first, last = self.reach(dim, dims[self.other(dim)], step, steps)
        return (first * step <= dims[dim]) & (dims[dim] <= last * step)

    def around(self, dim: str) -> tuple[Fraction, Fraction]:
        """The factors between which a dim lies, times the other one."""
        if dim == self.top:
            return self.low, self.high
        return 1 / self.high, 1 / self.low

    def reach(self, dim: str, other: Any, step: int = 1, steps: int = 0) -> tuple[Any, Any]:
        """The first and the last multiple of a step that a dim may be, over the step.

        Args:
            dim: one of the two.
            other: the number of the other one, or an array of its numbers.
            step: the step.
            steps: fewer steps than this is it away from the range; 0: none.

        >>> Ratio("d_model", "L", Fraction(100), Fraction(128)).reach("L", 1000)
        (8, 10)
        >>> Ratio("d_model", "L", Fraction(128), Fraction(128)).reach("L", 1000, steps=1)
        (7, 8)
        """
        low, high = self.around(dim)
        first = -(-(low.numerator * other) // (low.denominator * step))
        last = (high.numerator * other) // (high.denominator * step)
        if steps:  # so many further, less the one that would be too far
            met = first * low.denominator * step == low.numerator * other
            ends = last * high.denominator * step == high.numerator * other
            first, last = first - steps + met, last + steps - ends
        return first, last

    def other(self, dim: str) -> str:
        """The dim that stands against one of them."""
        return self.bottom if dim == self.top else self.top

    def __str__(self) -> str:
        low, high = shown(self.low), shown(self.high)
        within = f" within {self.steps[-1]} steps" if self.steps else ""
        if low == high:
            return f"{self.top}/{self.bottom} = {low}{within}"
        return f"{low} ≤ {self.top}/{self.bottom} ≤ {high}{within}"
