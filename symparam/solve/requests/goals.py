"""What is wanted of a configuration: a number of parameters, and perhaps more."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Literal, TypeAlias

from symparam.dataclass import dataclass
from symparam.errors import NotDerivable
from symparam.expression import Rational, whole
from symparam.polynomial import Polynomial
from symparam.symbols import SymExpr, polynomial

#: Met within the tolerance, or not exceeded.
Relation: TypeAlias = Literal["=", "<="]

#: Further below than any count.
NOTHING = -(10**60)


def counted(expr: SymExpr, name: str = "the count") -> Polynomial:
    """The polynomial that a count is: it never falls when a dim grows, on which the search rests.

    Raises:
        NotDerivable: something else than a sum of products of dims stands in it, or it subtracts.
    """
    found, scale = whole_multiple(expr, name)
    for coefficient in found.terms.values():
        if scale != 1 or coefficient < 0:
            raise NotDerivable(f"{name} has the coefficient {Fraction(coefficient, scale)}: only "
                               "positive whole ones can be searched")
    return found


def whole_multiple(expr: SymExpr, name: str) -> tuple[Polynomial, int]:
    """A multiple of an expression with whole coefficients of either sign, and which multiple.

    Another quantity than a count may subtract (what a window keeps out of a cache): it is bounded
    by its two parts, each of which never falls.

    >>> from symparam.symbols import symbol
    >>> whole_multiple(symbol("L") / 2 - symbol("V"), "it")
    (L + -2*V, 2)

    Raises:
        NotDerivable: something else than a sum of products of dims stands in it.
    """
    try:
        found, scale, divisor = polynomial(expr).cleared()
    except NotDerivable as error:
        raise NotDerivable(f"{name}: {error}; only sums of products of dims can be "
                           "searched") from None
    roots = [power for powers in found.terms for power in powers if not isinstance(power[1], int)]
    for base, exponent in (*((n, -e) for n, e in divisor), *roots):
        raise NotDerivable(f"{name} holds {base}**{exponent}: only sums of products of dims can be "
                           "searched")
    return found, scale


@dataclass(frozen=True)
class Piece:
    """A quantity over a run of lengths, between which its windows are all full or all not.

    Attributes:
        first, last: the lengths.
        count: the quantity in the dims there, times the scale of its goal.
        expr: the same as a formula, not times anything; None where nobody asks for one.
    """

    first: int
    last: int
    count: Polynomial
    expr: SymExpr | None = None


@dataclass(frozen=True)
class Goal:
    """A quantity, and the value that it is to have.

    Attributes:
        name: the quantity: ``P``, ``active`` ...
        count: the quantity in the dims, times the scale.
        value: the target, or the limit.
        relation: which of the two.
        tolerance: the relative error within which a target is met.
        unit: what it is counted in.
        scale: what makes the coefficients of the quantity whole.
        convention: what is counted and what is not, where that can be meant in several ways.
        pieces: the quantity over runs of lengths, where the length s is open; the count is then
            that of the last.
    """

    name: str
    count: Polynomial
    value: int
    relation: Relation = "="
    tolerance: Fraction = Fraction(0)
    unit: str = "parameters"
    scale: int = 1
    convention: str = ""
    pieces: tuple[Piece, ...] = ()

    @property
    def aim(self) -> int:
        """The value, times the scale: what the count is held against."""
        return self.value * self.scale

    def amount(self, dims: Mapping[str, int]) -> Rational:
        """The quantity at one point: a whole number, or a fraction."""
        return whole(Fraction(self.at(dims).value(dims), self.scale))

    def piece(self, dims: Mapping[str, int]) -> Piece | None:
        """The run of lengths that a point is in."""
        return next((p for p in self.pieces if p.first <= dims["s"] <= p.last), None)

    def at(self, dims: Mapping[str, int]) -> Polynomial:
        """The count that holds at a point."""
        here = self.piece(dims)
        return self.count if here is None else here.count

    @property
    def low(self) -> int:
        """The smallest number that meets it."""
        return NOTHING if self.relation == "<=" else int(-(-self.aim * (1 - self.tolerance) // 1))

    @property
    def high(self) -> int:
        """The largest number that meets it."""
        slack = 0 if self.relation == "<=" else self.tolerance
        return int(self.aim * (1 + slack) // 1)
