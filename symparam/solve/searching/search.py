"""The complete search of a lattice for points whose counts are wanted.

The count never falls when a dim grows. So rows of points are left out as a whole where even their
largest point is too small, or their smallest too large; and of the axes that nothing looks at,
the longest is not gone through but solved for, as the count is linear in it. Points passed over
so are covered by that argument, and counted by multiplication.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np

from symparam.dataclass import dataclass
from symparam.errors import NotDerivable
from symparam.points.axes import Axis, Span
from symparam.points.table import (
    SAFE,
    Ints,
    PointTable,
    Runs,
    column,
    expanded,
    in_chunks,
    runs,
    table_of,
)
from symparam.points.worked import largest, over
from symparam.polynomial import NOTHING
from symparam.solve.requests.goals import Goal
from symparam.solve.searching.arrange import Lattice, refuse_empty
from symparam.solve.searching.best import Best, Hit

#: Points that a search works out at most: about a minute on 64 bits.
MAX_STEPS = 300_000_000

#: A point worked out on Python's integers takes as long as so many others.
WIDE = 30

#: From so many points on it is foreseen how many there will be.
FORESEEN = 500_000


@dataclass
class Findings:
    """What a search found.

    Attributes:
        hits: the best points that meet all goals, best first.
        misses: the nearest points that do not, kept while there are no hits.
        within: how many points meet all goals.
        covered: points of the lattice, exactly.
        enumerated: points at which counts were worked out one by one; no more than there are. A
            row that is left out as a whole, or whose last axis is solved for, is one of them, and
            so is each hit.
        complete: whether no point that belongs here was left out.
        reached: how many axes ever had a value, for the message about an empty lattice.
    """

    hits: list[Hit] = field(default_factory=list)
    misses: list[Hit] = field(default_factory=list)
    within: int = 0
    covered: int = 0
    enumerated: int = 0
    complete: bool = True
    reached: int = 0


@dataclass
class Search:
    """A search; call :meth:`run` once.

    Attributes:
        lattice: where.
        goals: what is wanted, the total first.
        best: where hits are kept in order.
        nearest: where misses are.
        progress: called now and then with the share of the work that is done.
        most: how many points are worked out at most.
    """

    lattice: Lattice
    goals: Sequence[Goal]
    best: Best
    nearest: Best
    progress: Callable[[float], None] = lambda _: None
    most: int = MAX_STEPS
    findings: Findings = field(default_factory=Findings)
    _done: float = 0.0
    _spent: int = 0

    def run(self) -> Findings:
        """All points that meet the goals, or the nearest misses.

        Raises:
            NotDerivable: the lattice is empty, or too large to go through.
        """
        self._walk(0, table_of(self.lattice.numbers), 0.0, 1.0)
        found = self.findings
        if not found.covered:
            refuse_empty(self.lattice, found.reached)
        found.hits, found.misses = self.best.hits(), self.nearest.hits()
        return found

    def _walk(self, place: int, table: PointTable, start: float, width: float) -> None:
        """Go through the axes that others look at, in pieces of bounded size."""
        if not table.rows:
            return
        self.findings.reached = max(self.findings.reached, place)
        if place == len(self.lattice.head):
            self._tail(table, start, width)
        else:
            conditions = self.lattice.decided(place)
            for piece, begin, part in _shares(expanded(table, self.lattice.axes[place]),
                                              table, self.lattice.axes[place], start, width):
                self._spend(piece.rows)
                for condition in conditions:
                    piece = piece.take(_mask(condition.holds(piece), piece.rows))
                self._walk(place + 1, piece, begin, part)
        self._done = start + width
        self.progress(self._done)

    def _tail(self, table: PointTable, start: float, width: float) -> None:
        """The axes that nothing looks at: all but one gone through, that one solved for."""
        spans = self.lattice.spans
        counts = [runs(axis, table).count for axis in spans]
        points = _product(counts, table.rows)
        self.findings.covered += int(points.sum())
        empty = [axis for axis, count in zip(spans, counts, strict=True) if not count.any()]
        self.findings.reached = max(self.findings.reached, len(self.lattice.head) + (
            spans.index(empty[0]) if empty else len(spans)))
        table = table.take(points > 0)
        sizes = {axis.dim: int(count.sum()) for axis, count in zip(spans, counts, strict=True)}
        ordered = sorted(spans, key=lambda axis: (self._linear(axis), sizes[axis.dim]))
        self._box(table, ordered, start, width)

    def _linear(self, axis: Axis) -> bool:
        return all(goal.count.degree(axis.dim) <= 1 for goal in self.goals)

    def _box(self, table: PointTable, spans: Sequence[Span], start: float, width: float) -> None:
        if not table.rows:
            return
        if not spans:
            self._points(table)
        elif len(spans) == 1 and self._linear(spans[0]):
            self._solve(table, spans[0])
        else:
            table = self._reachable(table, spans)
            axis, rest = spans[0], spans[1:]
            for piece, begin, part in _shares(in_chunks(table, axis.dim, runs(axis, table)),
                                              table, axis, start, width):
                self._spend(piece.rows)
                self._box(piece, rest, begin, part)
        self._done = start + width
        self.progress(self._done)

    def _reachable(self, table: PointTable, spans: Sequence[Span]) -> PointTable:
        """The rows in which some point may meet the goals; of others the nearest is a miss."""
        least, most = self._corners(table, spans)
        keep = np.ones(table.rows, dtype=bool)
        for goal in self.goals:
            low, high = bounds(goal, least, most)
            if len(self.goals) == 1 and not self.findings.within:
                self._miss(least.take(_mask(low > goal.high, table.rows)))
                self._miss(most.take(_mask(high < goal.low, table.rows)))
            keep &= _mask((low <= goal.high) & (high >= goal.low), table.rows)
        self.findings.enumerated += table.rows - int(keep.sum())
        return table.take(keep)

    def _corners(self, table: PointTable, spans: Sequence[Span]) -> tuple[PointTable, PointTable]:
        """The smallest point of each row, and its largest."""
        least = most = table
        for axis in spans:
            found = runs(axis, table)
            least, most = (corner.adding(axis.dim, found.end(last))
                           for corner, last in ((least, False), (most, True)))
        return least, most

    def _points(self, table: PointTable) -> None:
        """Rows that are whole points."""
        counts = [over(goal.count, table) for goal in self.goals]
        keep = np.ones(table.rows, dtype=bool)
        for goal, count in zip(self.goals, counts, strict=True):
            keep &= _mask((count >= goal.low) & (count <= goal.high), table.rows)
        self._spend(table.rows, counts[0].dtype == object)
        self.findings.enumerated += table.rows
        self._hit(table.take(keep))
        if not self.findings.within:
            self._miss(table)

    def _solve(self, table: PointTable, axis: Span) -> None:
        """The last axis: each count is α + β·x, so that goals leave a run of its values."""
        found = runs(axis, table)
        first, last = np.zeros(table.rows, dtype=np.int64), found.count - 1
        for goal in self.goals:
            low, high = window(goal, table, axis.dim, found)
            first, last = np.maximum(first, low), np.minimum(last, high)
        self._spend(table.rows, first.dtype == object)
        hits = Runs(found.first + first, np.maximum(last - first + 1, 0), found.step)
        self.findings.enumerated += int(np.maximum(hits.count, 1).sum())
        for piece in in_chunks(table, axis.dim, hits):
            self._spend(piece.rows)
            self._hit(piece)
        if not self.findings.within and len(self.goals) == 1:
            for side in (first - 1, last + 1):
                place = np.minimum(np.maximum(side, 0), found.count - 1)
                self._miss(table.adding(axis.dim, (found.first + place) * found.step))

    def _hit(self, table: PointTable) -> None:
        self.findings.within += table.rows
        self.best.add(table)

    def _miss(self, table: PointTable) -> None:
        self.nearest.add(table)

    def _spend(self, rows: int, wide: bool = False) -> None:
        """Count the work, and refuse what would take too long as soon as that can be told."""
        self._spent += rows * (WIDE if wide else 1)
        if self._spent < min(FORESEEN, self.most):
            return
        foreseen = self._spent / self._done if self._done else 0
        if self._spent > self.most or foreseen > 8 * self.most:
            wide_axes = [a.dim for a in self.lattice.axes if a.ranges]
            about = f"about 10^{len(str(int(max(foreseen, self._spent)))) - 1}"
            raise NotDerivable(f"{about} combinations to go through: narrow "
                               f"{' or '.join(wide_axes)} with a number, a rule or --range")


def bounds(goal: Goal, least: PointTable, most: PointTable) -> tuple[Ints, Ints]:
    """A lower and an upper bound on a count between two corners of each row; exact where the
    count only adds."""
    adds, takes = goal.count.split()
    wide = max(largest(part, most) for part in (adds, takes)) > SAFE // 2
    low, high = over(adds, least, wide), over(adds, most, wide)
    if takes.terms:
        low, high = low - over(takes, most, wide), high - over(takes, least, wide)
    return low, high


def window(goal: Goal, table: PointTable, dim: str, found: Runs) -> tuple[Ints, Ints]:
    """From which place of a run to which a goal is met, as the count is linear in its dim.

    The places may lie outside the run; where the count does not depend on the dim, it is all of
    it or nothing. A count that falls is turned round: −count lies between −high and −low.
    """
    wide = largest(goal.count, table.adding(dim, found.end(True))) > SAFE
    parts = goal.count.by(dim)
    free, slope = (over(parts.get(e, NOTHING), table, wide) for e in (0, 1))
    slope = slope * found.step
    low, high = (value if wide else min(max(value, -SAFE - 1), SAFE + 1)
                 for value in (goal.low, goal.high))
    flat, meets = slope == 0, (free >= low) & (free <= high)
    falls = slope < 0
    by = np.where(flat, 1, abs(slope))
    below = np.where(falls, free - high, low - free)
    above = np.where(falls, free - low, high - free)
    start = np.where(flat, np.where(meets, 0, 1), -((-below) // by) - found.first)
    stop = np.where(flat, np.where(meets, found.count - 1, 0), above // by - found.first)
    start, stop = np.clip(start, 0, found.count), np.clip(stop, -1, found.count - 1)
    return start.astype(np.int64), stop.astype(np.int64)


def exact_goal(goal: Goal) -> Goal:
    """A goal as a target without a tolerance: its window is then the two sides of the root."""
    return replace(goal, tolerance=Fraction(0), relation="=")


def _product(counts: Sequence[Ints], rows: int) -> Ints:
    """How many points each row stands for."""
    bound = rows * prod(int(count.max(initial=0)) for count in counts)
    points = np.ones(rows, dtype=np.int64 if bound <= SAFE else object)
    for count in counts:
        points = points * count
    return points


def _mask(value: Any, rows: int) -> Ints:
    """A truth value for each row, though all may share one."""
    return column(np.asarray(value, dtype=bool), rows)


def _shares(parts: Iterator[PointTable], table: PointTable, axis: Axis, start: float,
            width: float) -> Iterator[tuple[PointTable, float, float]]:
    """Pieces with the share of the work that each stands for, which is for display alone."""
    total = runs(axis, table).total if isinstance(axis, Span) else 0
    done = 0
    for piece in parts:
        share = piece.rows / total if total else 1.0
        begin = start + width * done / total if total else start
        yield piece, begin, width * share
        done += piece.rows
