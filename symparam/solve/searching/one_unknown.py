"""One unknown over all whole numbers: those nearest to the roots of its equation.

Where every dim that follows grows with the unknown, the count does too and one bisection finds
the place. Elsewhere the whole numbers are cut at the zeros of the derivative and of the dims that
follow, so that the count only grows or only falls in each piece, and each is bisected.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

from symparam import expression as ex
from symparam.constraints import Divides
from symparam.dataclass import dataclass
from symparam.errors import BadValue, NotDerivable, the
from symparam.points.axes import Follows, divisors, rule_value
from symparam.points.table import PointTable, expanded, table_of
from symparam.polynomial import Polynomial
from symparam.resolve import MAX_DIM
from symparam.smooth import rounds, smooth
from symparam.solve.formulas.roots import isolated
from symparam.solve.requests.goals import Goal, Piece
from symparam.solve.searching.arrange import Lattice
from symparam.solve.searching.growing import growing
from symparam.solve.searching.stepwise import composed, cycle, grows, never_falls

#: How many whole numbers from a root on are looked at for one that conditions allow.
MAX_WALK = 20_000

#: Rows of other dims in which the unknown is solved for at most.
MAX_ROWS = 5_000


@dataclass
class Marked:
    """What was found for the one unknown.

    Attributes:
        hits, misses: points that meet the goal, and the nearest that do not.
        covered, enumerated: whole numbers spoken for, and those at which the count was worked out.
        complete: whether a whole number that conditions allow was found wherever there is one.
        reached: how many axes had a value.
    """

    hits: list[dict[str, int]]
    misses: list[dict[str, int]]
    covered: int = 0
    enumerated: int = 0
    complete: bool = True
    reached: int = 0


def solve_marked(lattice: Lattice, goal: Goal) -> Marked:
    """The whole numbers on both sides of each root, for every row of the other dims.

    Raises:
        NotDerivable: the count is not shown to grow or to fall throughout, nor piece by piece.
    """
    place = the(int, lattice.unknown)
    found = Marked([], [])
    for row in _rows(lattice, place, found):
        found.covered += MAX_DIM
        hits: list[dict[str, int]] = []
        for piece in goal.pieces or (Piece(1, MAX_DIM, goal.count),):
            unknown = _Unknown(lattice, place, row, goal, piece)
            for dims, total in unknown.near(found):
                (hits if goal.low <= total <= goal.high else found.misses).append(dims)
        found.hits += hits[-1:] if goal.relation == "<=" else hits
    found.misses.sort(key=lambda dims: (abs(goal.at(dims).value(dims) - goal.aim),
                                        sorted(dims.items())))
    if goal.relation == "<=":
        del found.misses[1:]
    return found


def _rows(lattice: Lattice, place: int, found: Marked) -> Iterator[dict[str, int]]:
    tables = [table_of(lattice.numbers)]
    for i in range(place):
        found.reached = i
        pieces = [piece for table in tables for piece in expanded(table, lattice.axes[i])]
        for condition in lattice.decided(i):
            pieces = [piece.take(_rows_mask(condition.holds(piece), piece)) for piece in pieces]
        tables = [piece for piece in pieces if piece.rows]
        if sum(table.rows for table in tables) > MAX_ROWS:
            raise NotDerivable(f"more than {MAX_ROWS:,} combinations of other dims: narrow "
                               f"{lattice.axes[i].dim} with a number or a rule")
    found.reached = place if tables else found.reached
    for table in tables:
        yield from (table.dims(row) for row in range(table.rows))


def _rows_mask(value: Any, table: PointTable) -> Any:
    import numpy as np

    return np.broadcast_to(np.asarray(value, dtype=bool), table.rows)


@dataclass
class _Unknown:
    """The unknown in one row of the other dims."""

    lattice: Lattice
    place: int
    row: Mapping[str, int]
    goal: Goal
    piece: Piece

    @property
    def count(self) -> Polynomial:
        return self.piece.count

    @property
    def name(self) -> str:
        return self.lattice.axes[self.place].dim

    @property
    def tail(self) -> tuple[Follows, ...]:
        return tuple(a for a in self.lattice.axes[self.place + 1:] if isinstance(a, Follows))

    def dims(self, value: int) -> dict[str, Any]:
        """All dims; a fraction where a rule is not whole, none at all where it is not positive."""
        dims: dict[str, Any] = {**self.row, self.name: value}
        for axis in self.tail:
            found = rule_value(axis.rule, dims, axis.least)
            dims[axis.dim] = Fraction(0) if found is None else found
        return dims

    def total(self, value: int) -> Any:
        """The count; a fraction where a rule is not whole."""
        return self.count.value(self.dims(value))

    def allowed(self, value: int) -> dict[str, int] | None:
        """The dims, if conditions allow them."""
        dims = self.dims(value)
        if all(isinstance(v, int) and v <= MAX_DIM for v in dims.values()) and all(
                axis.least <= dims[axis.dim] for axis in self.tail) and all(
                condition.holds(dims) for condition in self.lattice.conditions):
            return dims
        return None

    def near(self, found: Marked) -> Iterator[tuple[dict[str, int], int]]:
        """The allowed points on both sides of the target, in each piece."""
        values = self._sieve()
        for first, last, rises in self._monotone_runs():
            first, last = max(first, self.piece.first), min(last, self.piece.last)
            if first > last:
                continue
            start = bisect_left(values, first)
            stop = bisect_left(values, last + 1)
            sign = 1 if rises else -1

            def signed(value: int, sign: int = sign) -> Any:
                found.enumerated += 1
                return sign * self.total(value)

            at = bisect_left(values, sign * self.goal.aim, start, stop, key=signed)
            for way in self._ways(start, at, stop, rises):
                total = None
                for point in self._walk(values, way, found):
                    total = self.count.value(point)
                    yield point, total
                if total == self.goal.aim:
                    break

    def _ways(self, start: int, at: int, stop: int, rises: bool) -> tuple[range, range]:
        """From the target on and back from it; to a limit that is kept from some number on, back
        from the last."""
        on = range(at, stop) if rises or self.goal.relation == "=" else range(stop - 1, at - 1, -1)
        return on, range(at - 1, start - 1, -1)

    def _walk(self, values: Sequence[int], way: range, found: Marked) -> list[dict[str, int]]:
        """The first allowed point on a way, and those after it that have the same count; of a
        limit the largest of them alone."""
        points = list[dict[str, int]]()
        for i in way[:MAX_WALK]:
            if points and self.total(values[i]) != self.count.value(points[0]):
                return self._wanted(points)
            found.enumerated += 1
            point = self.allowed(values[i])
            if point is not None:
                points.append(point)
                if not self._repeats:
                    return points
        found.complete &= len(way) <= MAX_WALK
        return self._wanted(points)

    def _wanted(self, points: list[dict[str, int]]) -> list[dict[str, int]]:
        return points if self.goal.relation == "=" else sorted(
            points, key=lambda dims: dims[self.name])[-1:]

    @cached_property
    def _repeats(self) -> bool:
        """Whether numbers in a row may have one count: a dim that follows is rounded."""
        return any(_rounds(axis) for axis in self.tail)

    def _sieve(self) -> Sequence[int]:
        """Whole numbers among which all allowed ones are."""
        step, whole = 1, []
        for condition in self.lattice.conditions:
            check = condition.check
            if isinstance(check, Divides) and check.dividend == self.name:
                by = self.row.get(check.divisor) if isinstance(check.divisor, str) else (
                    check.divisor)
                step = math.lcm(step, by or 1)
            elif isinstance(check, Divides) and check.divisor == self.name and (
                    check.dividend in self.row):
                whole.append(self.row[check.dividend])
        for axis, powers in self._followed():
            if rounds(self._trees[axis.dim]):
                continue
            numbers = powers.numbers(self.name)
            if set(numbers) == {-1}:
                whole.append(numbers[-1].numerator)
            elif set(numbers) == {1}:
                step = math.lcm(step, numbers[1].denominator)
        number = math.gcd(*whole)
        if 0 < number <= MAX_DIM:
            return [d for d in divisors(number) if d % step == 0]
        return range(step, MAX_DIM + 1, step)

    def _followed(self) -> list[tuple[Follows, Polynomial]]:
        """The rules that follow, without their roundings, in powers of the unknown.

        Raises:
            NotDerivable: one is no sum of whole powers.
        """
        dims: dict[str, Any] = {**self.row, self.name: Polynomial.named(self.name)}
        numbers = {name: ex.Num(value) for name, value in self.row.items()}
        found = []
        for axis in self.tail:
            expr = ex.substitute(axis.rule.expr, numbers)
            try:
                expr = smooth(expr) if axis.dim in self.stepping else growing(expr)
                dims[axis.dim] = Polynomial.of(ex.evaluate(expr, dims))
            except (NotDerivable, BadValue, ZeroDivisionError):
                raise NotDerivable(f"{axis.dim} = {axis.rule.expr} is no sum of whole powers of "
                                   f"{self.name}: give {axis.dim} as a number") from None
            found.append((axis, dims[axis.dim]))
        return found

    @cached_property
    def _trees(self) -> dict[str, ex.Expr]:
        """The dims that follow, in the unknown alone."""
        trees: dict[str, ex.Expr] = {name: ex.Num(value) for name, value in self.row.items()}
        for axis in self.tail:
            trees[axis.dim] = composed(axis.rule, trees)
        return {axis.dim: trees[axis.dim] for axis in self.tail}

    @cached_property
    def stepping(self) -> frozenset[str]:
        """The dims that follow by a pattern, and never fall."""
        return frozenset(name for name, tree in self._trees.items()
                         if rounds(tree) and grows(tree, self.name))

    def _steps_up(self) -> bool:
        """Whether the count, too, never falls where it subtracts what follows by a pattern."""
        if all(c > 0 for c in self.count.terms.values()):
            return True
        varying = {self.name, *self._trees}
        terms = [[(dim, e) for dim, e in term if dim in varying] for term in self.count.terms]
        if any(len(term) > 1 or any(e > 1 for _, e in term) for term in terms):
            return False
        trees = {**{n: ex.Num(v) for n, v in self.row.items()}, **self._trees}
        try:
            length = math.lcm(*(cycle(tree, self.name) for tree in self._trees.values()))
        except NotDerivable:
            return False
        return never_falls(lambda x: self.count.value(
            {n: ex.evaluate(tree, {self.name: x}) for n, tree in trees.items()} | {self.name: x}),
            length)

    def _refusal(self) -> NotDerivable:
        return NotDerivable(f"it is not shown that the count grows or falls throughout with "
                            f"{self.name}: give the dims that follow from {self.name} as numbers")

    def _monotone_runs(self) -> list[tuple[int, int, bool]]:
        """Runs of whole numbers in which the count only grows, or only falls."""
        rules = self._followed()
        dims = {axis.dim: powers for axis, powers in rules}
        if all(name in self.stepping or all(e >= 0 and c > 0 for e, c in powers.numbers(
                self.name).items()) for name, powers in dims.items()) and (
                    not self.stepping or self._steps_up()):
            return [(1, MAX_DIM, True)]
        if any(_rounds(axis) for axis, _ in rules):
            raise self._refusal()
        count = Polynomial.of(self.count.value(
            {**self.row, self.name: Polynomial.named(self.name), **dims}))
        slope, cuts = count.derivative(self.name), {0, MAX_DIM}
        for powers in (slope, *dims.values()):
            for root in isolated(powers.numbers(self.name), 0) if powers.terms else []:
                cuts |= {c for low in (math.floor(root.low), math.floor(root.high))
                         for c in (low - 1, low, low + 1) if 0 < c < MAX_DIM}
        ordered = sorted(cuts)
        pieces = [(a + 1, b) for a, b in pairwise(ordered)]
        return [(a, b, slope.value({self.name: Fraction(a + b, 2)}) >= 0) for a, b in pieces
                if all(powers.value({self.name: Fraction(a + b, 2)}) > 0
                       for powers in dims.values())]


def _rounds(axis: Follows) -> bool:
    """Whether a rule rounds, at its end or inside."""
    return axis.rule.rounding is not None or rounds(axis.rule.expr)
