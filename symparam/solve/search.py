"""The complete search of a lattice for points whose count lies near a target.

The count never falls when a dim grows. So where axes do not look at one another, the values of
an axis that can reach the target at all are one run between two bisections (the other axes at
their largest, at their smallest), and the last axis is not enumerated but solved. Points passed
over so are covered by that argument, and counted by multiplication.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heappush, heappushpop
from math import prod
from typing import Any, TypeAlias

from symparam.errors import NotDerivable
from symparam.resolve import MAX_DIM
from symparam.solve.axes import Axis, Lattice, rule_value
from symparam.solve.polynomial import Polynomial

#: Combinations of enumerated axes beyond which a search is refused: a few seconds of work.
MAX_STEPS = 200_000

#: How far from the root of a marked dim a whole number that the rules allow is looked for.
MAX_WALK = 4096

Dims: TypeAlias = dict[str, int]


@dataclass
class Findings:
    """What a search found.

    Attributes:
        hits: points within the tolerance, with their counts.
        misses: others, kept while there are no hits: (−distance, order, count, dims). They hold
            the nearest point, and for each combination of the enumerated axes only the nearest.
        covered: points of the lattice, exactly.
        enumerated: points at which the count was worked out.
        reached: how many axes ever had a value, for the message about an empty lattice.
    """

    hits: list[tuple[int, Dims]] = field(default_factory=list)
    misses: list[tuple[int, int, int, Dims]] = field(default_factory=list)
    covered: int = 0
    enumerated: int = 0
    reached: int = 0

    def best(self) -> list[tuple[int, Dims]]:
        """The hits; without any, the nearest misses."""
        return self.hits or [(count, dims) for _, _, count, dims in self.misses]


@dataclass
class Search:
    """A search; call :meth:`run` once.

    Attributes:
        lattice: where.
        target: the count wanted.
        low, high: the counts that are near enough.
        keep: how many misses to keep.
        grows: whether the count grows with the marked dim, if one is marked.
    """

    lattice: Lattice
    target: int
    low: int
    high: int
    keep: int = 10
    grows: bool = True
    findings: Findings = field(default_factory=Findings)
    _steps: int = 0

    def run(self, count: Polynomial) -> Findings:
        """All points near the target, or the nearest misses.

        Raises:
            NotDerivable: the lattice is empty, or too large to go through.
        """
        self._walk(0, dict(self.lattice.numbers), count.at(self.lattice.numbers))
        if not self.findings.covered:
            axis = self.lattice.axes[self.findings.reached]
            raise NotDerivable(f"no configuration of the lattice exists: nothing fits {axis.text}; "
                               f"give {axis.dim}=..., or what it follows from")
        return self.findings

    def _walk(self, depth: int, dims: Dims, count: Polynomial) -> None:
        axes = self.lattice.axes
        self.findings.reached = max(self.findings.reached, min(depth, len(axes) - 1))
        if depth < len(axes) and axes[depth].marked:
            self._marked(depth, dims, count)
        elif depth >= self.lattice.independent:
            self._box(depth, dims, count)
        else:
            for value in self._enumerated(axes[depth], dims):
                inner = {**dims, axes[depth].dim: value}
                self._walk(depth + 1, inner, count.at({axes[depth].dim: value}))

    def _enumerated(self, axis: Axis, dims: Dims) -> Sequence[int]:
        values = axis.values(dims)
        self._steps += len(values)
        if self._steps > MAX_STEPS:
            wide = [a.dim for a in self.lattice.axes[:self.lattice.independent] if a.ranges]
            raise NotDerivable(f"more than {MAX_STEPS:,} combinations to go through: narrow "
                               f"{' or '.join(wide)} with a number or a rule")
        return values

    def _box(self, depth: int, dims: Dims, count: Polynomial) -> None:
        """Axes that do not look at one another."""
        box = [(axis.dim, axis.values(dims)) for axis in self.lattice.axes[depth:]]
        points = prod(len(values) for _, values in box)
        self.findings.covered += points
        if points:
            self._inside(box, dims, count)
        else:
            empty = next(i for i, (_, values) in enumerate(box) if not values)
            self.findings.reached = max(self.findings.reached, depth + empty)

    def _inside(self, box: list[tuple[str, Sequence[int]]], dims: Dims, count: Polynomial) -> None:
        if not box:
            self._note(count.value({}), dims)
            return
        (name, values), rest = box[0], box[1:]
        least = {other: run[0] for other, run in rest}
        most = {other: run[-1] for other, run in rest}
        largest, smallest = count.at(most).along(name), count.at(least).along(name)
        first = bisect_left(values, self.low, key=self._counted(largest))
        end = bisect_right(values, self.high, key=self._counted(smallest))
        for value in values[first:end]:
            inner = {**dims, name: value}
            if rest:
                self._inside(rest, inner, count.at({name: value}))
            else:
                self._note(largest(value), inner)
        if first > 0:
            self._corner(count, dims, {**most, name: values[first - 1]})
        if end < len(values):
            self._corner(count, dims, {**least, name: values[end]})

    def _corner(self, count: Polynomial, dims: Dims, point: Dims) -> None:
        """The nearest of the points that a bisection passed over."""
        if not self.findings.hits:
            self._miss(count.value(point), {**dims, **point})

    def _counted(self, function: Callable[[int], Any]) -> Callable[[int], Any]:
        def counted(value: int) -> Any:
            self.findings.enumerated += 1
            return function(value)

        return counted

    def _note(self, count: int, dims: Dims) -> None:
        if self.low <= count <= self.high:
            self.findings.hits.append((count, dims))
        else:
            self._miss(count, dims)

    def _miss(self, count: int, dims: Dims) -> None:
        self.findings.enumerated += 1
        entry = (-abs(count - self.target), -self.findings.enumerated, count, dims)
        if len(self.findings.misses) < self.keep:
            heappush(self.findings.misses, entry)
        elif entry > self.findings.misses[0]:
            heappushpop(self.findings.misses, entry)

    def _marked(self, depth: int, dims: Dims, count: Polynomial) -> None:
        """The nearest whole numbers below and above the root of the one unknown."""
        axis, tail = self.lattice.axes[depth], self.lattice.axes[depth + 1:]
        values = axis.values(dims)
        self.findings.covered += len(values)
        point = _Tail(axis.dim, tail, dims, count)
        sign = 1 if self.grows else -1
        counted = self._counted(point.count if tail else count.along(axis.dim))
        at = bisect_left(values, sign * self.target, key=lambda value: sign * counted(value))
        for way in (range(at, min(at + MAX_WALK, len(values))),
                    range(at - 1, max(at - MAX_WALK, -1), -1)):
            found = next(self._allowed(point, values, way), None)
            if found is not None:
                self._note(found[0], found[1])
                if found[0] == self.target:
                    break

    def _allowed(self, point: _Tail, values: Sequence[int], way: range,
                 ) -> Iterator[tuple[int, Dims]]:
        for i in way:
            dims = point.dims(values[i])
            if all(isinstance(v, int) and v <= MAX_DIM for v in dims.values()) and all(
                    c.holds(dims) for c in self.lattice.conditions):
                yield point.count(values[i]), dims


@dataclass(frozen=True)
class _Tail:
    """A marked dim with the dims that follow from it."""

    name: str
    tail: Sequence[Axis]
    known: Mapping[str, int]
    polynomial: Polynomial

    def dims(self, value: int) -> Any:
        """All dims; fractions where a rule is not whole."""
        dims: dict[str, Any] = {**self.known, self.name: value}
        for axis in self.tail:
            assert axis.rule is not None
            dims[axis.dim] = rule_value(axis.rule, dims)
            if dims[axis.dim] is None:
                dims[axis.dim] = Fraction(0)
        return dims

    def count(self, value: int) -> Any:
        """The count; a fraction where a rule is not whole."""
        return self.polynomial.value(self.dims(value))
