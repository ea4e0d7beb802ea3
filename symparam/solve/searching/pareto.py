"""Several goals that no point meets together: the points of which none is better in all.

Misses are compared in hundredths of a per cent. The same rows are gone through as in a search. A
row whose best in every single goal is already beaten is left out; in the others, what is not
beaten lies between the places where each goal is nearest, since every miss grows beyond the last
of them and before the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

import numpy as np

from symparam.dataclass import dataclass
from symparam.errors import NotDerivable
from symparam.points.axes import Span
from symparam.points.table import SAFE, Ints, PointTable, Runs, in_chunks, runs
from symparam.points.worked import largest, over
from symparam.solve.requests.goals import Goal
from symparam.solve.searching.best import Hit
from symparam.solve.searching.search import Search, bounds, exact_goal, window

#: Misses are compared in hundredths of a per cent: what differs by less is as good.
PARTS = 10_000

#: Points that a front has at most; with so many it says little.
MAX_FRONT = 20_000


@dataclass
class Front(Search):
    """A search for the points of which no other is nearer to every goal.

    Attributes:
        front: misses, one a goal, with their point.
        refine: whether all points between the nearest places are looked at, or those places alone.
    """

    front: dict[tuple[int, ...], Hit] = field(default_factory=dict)
    refine: bool = False

    def points(self) -> list[Hit]:
        """The front, nearest to the first goal first."""
        self.run()
        self.refine = True
        self._done, self._spent = 0.0, 0
        self.run()
        return [hit for _, hit in sorted(self.front.items(), key=lambda item: item[0])]

    def _reachable(self, table: PointTable, spans: Sequence[Span]) -> PointTable:
        least, most = self._corners(table, spans)
        ideal = [ideal_gap(goal, *(bound.astype(object) for bound in bounds(goal, least, most)))
                 for goal in self.goals]
        return table.take(~self._beaten(ideal))

    def _points(self, table: PointTable) -> None:
        self._spend(table.rows)
        self.findings.enumerated += table.rows
        self._take(table)

    def _solve(self, table: PointTable, axis: Span) -> None:
        found = runs(axis, table)
        places = []
        for goal in self.goals:
            low, high = window(exact_goal(goal), table, axis.dim, found)
            places += [low, high]
        places = [np.clip(place, 0, found.count - 1) for place in places]
        self._spend(table.rows)
        self.findings.enumerated += table.rows
        if not self.refine:
            for place in places:
                self._take(table.adding(axis.dim, (found.first + place) * found.step))
            return
        ideal = [self._least(goal, table, axis, found, places) for goal in self.goals]
        keep = ~self._beaten(ideal)
        first, last = np.minimum.reduce(places)[keep], np.maximum.reduce(places)[keep]
        between = Runs(found.first[keep] + first, last - first + 1, found.step)
        for piece in in_chunks(table.take(keep), axis.dim, between):
            self._spend(piece.rows)
            self.findings.enumerated += piece.rows
            self._take(piece)

    def _least(self, goal: Goal, table: PointTable, axis: Span, found: Runs,
               places: Sequence[Ints]) -> Ints:
        """The smallest miss of one goal over a row's places."""
        return np.minimum.reduce([
            gap(goal, table.adding(axis.dim, (found.first + place) * found.step))
            for place in places])

    def _beaten(self, gaps: Sequence[Ints]) -> Ints:
        """The rows that some point of the front is nearer than, or as near, in every goal."""
        if not self.front:
            return np.zeros(len(gaps[0]), dtype=bool)
        if len(gaps) == 2:
            own = np.array(sorted(self.front), dtype=np.int64)  # the second falls where the first
            place = np.searchsorted(own[:, 0], gaps[0], side="right") - 1  # grows
            return (place >= 0) & (own[np.maximum(place, 0), 1] <= gaps[1])
        beaten = np.zeros(len(gaps[0]), dtype=bool)
        for point in self.front:
            beaten |= np.logical_and.reduce([c >= v for v, c in zip(point, gaps, strict=True)])
        return beaten

    def _take(self, table: PointTable) -> None:
        """Put the points that are not beaten on the front, and take off those that they beat."""
        gaps = [gap(goal, table) for goal in self.goals]
        rows = np.flatnonzero(~self._beaten(gaps))
        rows = rows[np.lexsort(tuple(column[rows] for column in reversed(gaps)))]
        while len(rows):
            own = tuple(int(column[rows[0]]) for column in gaps)
            self.front = {other: hit for other, hit in self.front.items()
                          if any(o < w for o, w in zip(other, own, strict=True))}
            self.front[own] = table.dims(int(rows[0]))
            rows = rows[np.logical_or.reduce([c[rows] < v for v, c in
                                              zip(own, gaps, strict=True)])]
        if len(self.front) > MAX_FRONT:
            raise NotDerivable(f"more than {MAX_FRONT:,} configurations of which none is nearer to "
                               "all targets: give fewer targets, or limits (<=)")


def gap(goal: Goal, table: PointTable) -> Ints:
    """How far a quantity is from its goal at every row, in parts of :data:`PARTS`; 0 within a
    limit."""
    count = over(goal.count, table, largest(goal.count, table) * PARTS > SAFE
                            or goal.aim * PARTS > SAFE)
    return parts(goal, np.maximum(count - goal.aim, 0) if goal.relation == "<=" else
                 abs(count - goal.aim))


def ideal_gap(goal: Goal, low: Ints, high: Ints) -> Ints:
    """How far from its goal a quantity is at least, anywhere between two numbers."""
    over = np.maximum(low - goal.aim, 0)
    return parts(goal, over if goal.relation == "<=" else np.maximum(over, goal.aim - high))


def parts(goal: Goal, distance: Ints) -> Ints:
    """A distance in parts of a goal's value, rounded down."""
    return np.minimum(distance * PARTS // goal.aim, SAFE).astype(np.int64)
