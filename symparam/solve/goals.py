"""What is wanted of a configuration: a number of parameters, and perhaps more."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from symparam.solve.polynomial import Polynomial

#: Met within the tolerance, or not exceeded.
Relation: TypeAlias = Literal["=", "<="]

#: Further below than any count.
NOTHING = -1


@dataclass(frozen=True)
class Goal:
    """A quantity, and the value that it is to have.

    Attributes:
        name: the quantity: ``P``, ``active`` ...
        count: the quantity in the dims.
        value: the target, or the limit.
        relation: which of the two.
        tolerance: the relative error within which a target is met.
        unit: what it is counted in.
    """

    name: str
    count: Polynomial
    value: int
    relation: Relation = "="
    tolerance: Fraction = Fraction(0)
    unit: str = "parameters"

    @property
    def low(self) -> int:
        """The smallest number that meets it."""
        return NOTHING if self.relation == "<=" else int(-(-self.value * (1 - self.tolerance) // 1))

    @property
    def high(self) -> int:
        """The largest number that meets it."""
        slack = 0 if self.relation == "<=" else self.tolerance
        return int(self.value * (1 + slack) // 1)

    def miss(self, number: int) -> Fraction:
        """How far a number is from meeting it, relative to the value; 0 within a limit."""
        if self.relation == "<=" and number <= self.value:
            return Fraction(0)
        return Fraction(abs(number - self.value), self.value)
