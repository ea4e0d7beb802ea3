"""What a trace could not move apart, as checks: a value that breaks an assumption is refused."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from symparam.constraints import Check
from symparam.dataclass import dataclass

TRACE_AGAIN = "trace again with these numbers"


@dataclass(frozen=True)
class Fixed(Check):
    """A dim that the rows hold for at one number alone."""

    of = ("dim",)
    dim: str
    number: int | Fraction
    reason: str

    def broken(self, here: Mapping[str, int]) -> str | None:
        """What to do at any other number."""
        return None if here[self.dim] == self.number else TRACE_AGAIN

    def __str__(self) -> str:
        return f"{self.dim} = {self.number}"


@dataclass(frozen=True)
class Proportional(Check):
    """Two dims that were in one ratio at every point, so that nobody knows which one counts.

    >>> print(Proportional("d_ff", "d_model", Fraction(4), "never moved apart"),
    ...       Proportional("n_kv", "n_heads", Fraction(1), "never moved apart"), sep="; ")
    d_ff = 4*d_model; n_kv = n_heads
    """

    of = ("first", "second")
    first: str
    second: str
    ratio: Fraction
    reason: str

    def broken(self, here: Mapping[str, int]) -> str | None:
        """What to do at any other ratio."""
        return None if here[self.first] == self.ratio * here[self.second] else TRACE_AGAIN

    def __str__(self) -> str:
        factor = "" if self.ratio == 1 else f"{self.ratio}*"
        return f"{self.first} = {factor}{self.second}"
