"""A count as a function of one dim, all else as it was given, and where it meets a window."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import comb, gcd
from typing import Any

from symparam import expression as ex
from symparam.constraints import FILLING, Equation
from symparam.dataclass import dataclass
from symparam.errors import MissingDims, SymparamError
from symparam.expression import Rational
from symparam.ledger import Ledger
from symparam.model import Model
from symparam.resolve import MAX_DIM, Rules, whole_number, with_overrides

Measure = Callable[[Ledger], Any]

#: How far a dim is gone through one by one where the count does not simply grow with it.
MOST, LEAST = 4096, 256
#: A count is seldom of a higher degree than this in one dim.
DEGREE = 3
#: Where a count that is the same is so everywhere: a quotient of small degree cannot be otherwise.
FEW = (1, 2, 3, 5, 8, 13, 21)
#: How many numbers of an interval are tried one by one: whether the architecture allows them.
SHORT = 512
#: Numbers, every so many of an interval, that are told one by one.
LISTED = 10_000


def grows(expr: ex.Expr, moving: Iterable[str]) -> bool:
    """Whether an expression cannot fall when some of its symbols grow, all being positive.

    >>> from symparam.grammar import parse_expression
    >>> [grows(parse_expression(text), ["d_model"]) for text in (
    ...     "d_model/n_heads", "L - 3", "n_ctx/d_model", "L - d_model")]
    [True, True, False, False]
    """
    names = set(moving)
    if not names & set(ex.symbols_in(expr)) or isinstance(expr, ex.Sym):
        return True
    if isinstance(expr, ex.Sum):
        return all(grows(term, names) for term in expr.terms)
    if isinstance(expr, ex.Product):
        return all(grows(f, names) and _positive(f) for f in expr.factors)
    if isinstance(expr, ex.Quotient):
        still = not names & set(ex.symbols_in(expr.bottom))
        return still and grows(expr.top, names) and _positive(expr.bottom)
    if isinstance(expr, ex.Whole):
        return grows(expr.inner, names)
    if isinstance(expr, ex.Extreme):
        return all(grows(part, names) for part in expr.parts)
    return isinstance(expr, ex.Power) and expr.exponent > 0 and grows(expr.base, names)


def _positive(expr: ex.Expr) -> bool:
    """Whether an expression is surely not negative for positive symbols."""
    if isinstance(expr, ex.Num):
        return expr.value >= 0
    if isinstance(expr, ex.Sum):
        return all(_positive(term) for term in expr.terms)
    if isinstance(expr, ex.Product):
        return all(_positive(f) for f in expr.factors)
    if isinstance(expr, ex.Extreme):
        return all(_positive(part) for part in expr.parts)
    return True


@dataclass(frozen=True)
class Line:
    """A measure of a model over one of its dims.

    Attributes:
        model: the model, its other dims numbers or rules.
        name: the dim.
        measure: what is counted of the ledger; never falls when a matrix grows.
    """

    model: Model
    name: str
    measure: Measure

    @cached_property
    def _open(self) -> Model:
        return with_overrides(self.model, {self.name: 1})

    @cached_property
    def _strict(self) -> Rules:
        """What numbers follow from and are held to, the same for all numbers of the dim."""
        return Rules(self._open)

    @cached_property
    def rules(self) -> tuple[Equation, ...]:
        """The rules that fill other dims, in the order in which they are tried."""
        everything = [eq for eq in self._open.all_equations() if eq.standing in FILLING]
        owned = {eq.dim for eq in self._open.equations if eq.standing in FILLING}
        kept = [eq for eq in everything if eq.dim not in owned or eq in self._open.equations]
        return tuple(sorted(kept, key=lambda eq: FILLING.index(eq.standing)))

    def values(self, number: Rational) -> dict[str, Rational]:
        """All dims where the one has a number; those that follow may be fractions."""
        found: dict[str, Rational] = {**self._open.values, self.name: number}
        before = -1
        while before != len(found):
            before = len(found)
            for eq in self.rules:
                if eq.dim not in found and all(i in found for i in eq.inputs):
                    value = ex.evaluate(eq.expr, found)
                    found[eq.dim] = eq.rounding.apply(value) if eq.rounding else value
        return found

    @cached_property
    def moving(self) -> frozenset[str]:
        """The dims that change with it."""
        one, two = self.values(2 * 3 * 5 * 7 * 512), self.values(2 * 3 * 5 * 7 * 1024)
        return frozenset(name for name in one if one[name] != two.get(name))

    @cached_property
    def rises(self) -> bool:
        """Whether the measure cannot fall when the dim grows: what follows grows with it."""
        rules = [eq for eq in self.rules if eq.dim in self.moving]
        extents = [e for stack in self.model.stacks if stack.repeat
                   for e in (stack.repeat.stored, stack.repeat.active)]
        return all(grows(e, self.moving) for e in (*extents, *(eq.expr for eq in rules)))

    def at(self, number: int) -> Fraction:
        """The measure, fractions of matrices allowed."""
        return Fraction(self.measure(self._open.ledger(self.values(number))))

    def allowed(self, number: int) -> int | None:
        """The measure where the architecture allows the number; None where it does not."""
        try:
            return int(self.measure(self._open.ledger(self._numbers(number))))
        except SymparamError:
            return None

    def admits(self, number: int) -> bool:
        """Whether the architecture allows the number."""
        try:
            self._numbers(number)
        except SymparamError:
            return False
        return True

    def _numbers(self, number: int) -> Mapping[str, int]:
        """All dims as the architecture has them, or an error where it does not allow the number."""
        found = self._strict.resolve(
            {**self._open.values, self.name: whole_number(self.name, number)})
        if found.missing:
            raise MissingDims(found.missing, self.model.name)
        return found.values

    @cached_property
    def differences(self) -> tuple[Rational, ...]:
        """Finite differences from 1 on: those of the count, where it is of a small degree."""
        row, found = [self.at(1 + step) for step in range(DEGREE + 1)], list[Fraction]()
        while row:
            found.append(row[0])
            row = [b - a for a, b in pairwise(row)]
        return tuple(int(d) if d.denominator == 1 else d for d in found)

    def likely(self, number: int) -> Rational:
        """The measure as its first values go on: Newton's series. What it says is checked."""
        return sum((d * comb(number - 1, step) for step, d in enumerate(self.differences)), 0)

    def first(self, bound: Rational) -> int | None:
        """The smallest number at which a rising measure reaches a bound; None where none does."""
        guess = _bisected(self.likely, bound)
        if guess is not None and self.at(guess) >= bound and (
                guess == 1 or self.at(guess - 1) < bound):
            return guess
        return _bisected(self.at, bound)


def _bisected(measure: Callable[[int], Rational], bound: Rational) -> int | None:
    high = 1
    while measure(high) < bound:
        high *= 2
        if high > MAX_DIM:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if measure(middle) < bound else (low, middle)
    return high


@dataclass(frozen=True)
class Found:
    """The numbers of a dim at which a measure is in a window.

    Attributes:
        low, high: the least and the largest that the architecture allows.
        scattered: all of them, where it does not allow all between.
        nearest: the one whose measure is nearest to what was printed.
        total: the measure there.
    """

    low: int
    high: int
    scattered: tuple[int, ...]
    nearest: int
    total: int

    def has(self, number: int) -> bool:
        """Whether a number is among them."""
        return number in self.scattered if self.scattered else self.low <= number <= self.high


def solve(line: Line, low: Rational, high: Rational, value: Rational) -> Found | None:
    """The numbers of the dim at which the measure is from ``low`` to below ``high``.

    Args:
        line: the measure over the dim.
        low, high: the window.
        value: what the nearest is nearest to.

    Returns:
        None where no number that the architecture allows has it there.

    >>> from symparam.descriptions.load import load
    >>> line = Line(load("perseid-256m-balanced"), "V", lambda ledger: ledger.total())
    >>> found = solve(line, 256_250_000, 256_400_000, 256_300_000); found.nearest
    346586
    """
    try:
        return _risen(line, low, high, value) if line.rises else _walked(line, low, high, value)
    except (SymparamError, ZeroDivisionError):
        return None


def _risen(line: Line, low: Rational, high: Rational, value: Rational) -> Found | None:
    start, beyond, best = line.first(low), line.first(high), line.first(value)
    if start is None or beyond is None or start >= beyond or line.at(start) >= high:
        return None
    centre = min(max(best or start, start), beyond - 1)
    members = _members(line, range(start, beyond), centre)
    place = bisect_left(members, centre)
    totals = {x: line.allowed(x) for x in members[max(place - 2, 0):place + 2]}
    held = {x: total for x, total in totals.items() if total is not None and low <= total < high}
    if not held:
        return None
    nearest = min(held, key=lambda x: (abs(held[x] - value), abs(x - centre)))
    whole = isinstance(members, range) or len(members) == members[-1] - members[0] + 1
    return Found(members[0], members[-1], () if whole else tuple(members), nearest, held[nearest])


def _members(line: Line, inside: range, centre: int) -> Sequence[int]:
    """The numbers of an interval that the model can have.

    A short interval is gone through. In a long one they are looked at around its centre: all are
    allowed there, or every so many (heads divide a width), and so it goes on to both ends, near
    which some are tried themselves. None where nobody would read which they are.
    """
    if len(inside) <= SHORT:
        return tuple(x for x in inside if line.admits(x))
    near = [x for x in range(max(inside.start, centre - SHORT // 2),
                             min(inside.stop, centre + SHORT // 2)) if line.admits(x)]
    step = gcd(*(b - a for a, b in pairwise(near)))
    if step == 0 or any(b - a != step for a, b in pairwise(near)):
        return tuple(near)
    found = range(inside.start + (near[0] - inside.start) % step, inside.stop, step)
    if step > 1 and len(found) > LISTED:
        return ()
    tried = range(min(SHORT, len(found)))
    low = next((i for i in tried if line.admits(found[i])), None)
    high = next((i for i in tried if line.admits(found[-1 - i])), None)
    if low is None or high is None:
        return ()
    found = found[low:len(found) - high]
    return found if step == 1 else tuple(found)


def _walked(line: Line, low: Rational, high: Rational, value: Rational) -> Found | None:
    if len({line.at(number) for number in FEW}) == 1:  # heads that split a width cost nothing
        return None
    own = line.model.values.get(line.name, 1)
    hits: dict[int, int] = {}
    for number in range(1, min(MOST, max(LEAST, 4 * own)) + 1):
        total = line.allowed(number) if low <= line.at(number) < high else None
        if total is not None:
            hits[number] = total
    if not hits:
        return None
    nearest = min(hits, key=lambda x: (abs(hits[x] - value), abs(x - own)))
    return Found(min(hits), max(hits), tuple(sorted(hits)), nearest, hits[nearest])
