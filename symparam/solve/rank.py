"""Which of many configurations to show first, and what is said of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from symparam.dataclass import dataclass
from symparam.points.axes import Span
from symparam.points.ratios import Ratio
from symparam.points.table import SAFE, Ints, PointTable
from symparam.points.worked import over
from symparam.polynomial import Polynomial
from symparam.solve.published import published_near
from symparam.solve.requests.goals import Goal
from symparam.solve.requests.preferences import COUNT, Preference, off
from symparam.solve.searching.best import Best, Hit, in_order
from symparam.solve.solution import Configuration

#: Relative errors that are even when cut to one part in so many are ties: 0.1 percentage points.
TIES = 1000

#: Misses of several goals are added up in parts of so many.
PARTS = 10**12


@dataclass(frozen=True)
class Ranking:
    """An order of configurations.

    Attributes:
        total: the number of parameters in the dims.
        goals: what is wanted, the total first where a number of parameters is.
        preferences: what is preferred, with weights.
        ratio: the usual d_ff/d_model, if there is one.
        shape: spans with ratios that hold within steps: the fewer the better, before all else.
    """

    total: Polynomial
    goals: Sequence[Goal]
    preferences: Sequence[Preference]
    ratio: Fraction | None
    shape: Sequence[Span] = ()

    def best(self, limit: int) -> Best:
        """A place for the best of those that meet the goals: by error in steps of :data:`TIES`;
        where these are even by the weights of the preferences that they meet, then by error, then
        by how near d_ff/d_model is to the usual."""
        def keys(table: PointTable) -> list[Ints]:
            gap = self.distance(table)
            scores = 1 + sum(p.weight for p in self.preferences)  # one column leaves out the most
            return [*self._looseness(table), self._step(gap) * scores - self.score(table), gap,
                    self._closeness(table)]

        return Best(limit, keys)

    def nearest(self, limit: int) -> Best:
        """A place for those nearest to the goals."""
        return Best(limit, lambda table: [self.distance(table)])

    def score(self, points: Mapping[str, Any]) -> Any:
        """The weights of the preferences met, added up."""
        seen = self._seen(points)
        return sum((p.holds(seen) * p.weight for p in self.preferences), np.int64(0))

    def distance(self, table: PointTable) -> Ints:
        """How far the counts are from the goals: parameters, or parts of all the misses."""
        if len(self.goals) == 1:
            return _gap(self.goals[0], over(self.goals[0].count, table))
        total: Any = 0
        for goal in self.goals:
            gap = _gap(goal, over(goal.count, table)).astype(object)
            total = total + gap * PARTS // goal.aim
        return total

    def order(self, points: Sequence[Hit]) -> list[Hit]:
        """Points that meet the goals, best first."""
        goal = self.goals[0]

        def key(dims: Hit) -> tuple[int, int, Any, list[int]]:
            gap = abs(goal.at(dims).value(dims) - goal.aim)
            return (int(gap * TIES // goal.aim), -int(self.score(dims)), gap,
                    [dims[name] for name in in_order(list(dims))])

        return sorted(points, key=key)

    def _held(self) -> list[tuple[Span, Ratio]]:
        """Ratios that are to hold within steps, each with its span: those of depths first."""
        held = [(axis, ratio) for axis in self.shape for ratio in axis.ratios if ratio.steps]
        return sorted(held, key=lambda each: each[1].top != "d_model")

    def _looseness(self, table: PointTable) -> list[Ints]:
        """How far off each of these is."""
        return [ratio.looseness(axis.dim, table, axis.step) for axis, ratio in self._held()]

    def _not_held(self, dims: Hit) -> tuple[str, ...]:
        """Those that a point does not hold within the fewest steps."""
        return tuple(f"{ratio.top}/{ratio.bottom}" for axis, ratio in self._held()
                     if ratio.looseness(axis.dim, dims, axis.step))

    def _step(self, gap: Ints) -> Ints:
        """In which step of the relative error a miss lies."""
        whole = self.goals[0].aim if len(self.goals) == 1 else PARTS
        wide = whole * TIES > SAFE and gap.dtype != object
        return (gap.astype(object) if wide else gap) * TIES // whole

    def _closeness(self, table: PointTable) -> Ints:
        if self.ratio is None or not {"d_ff", "d_model"} <= set(table):
            return np.zeros(table.rows, dtype=np.int64)
        wide = table.most("d_ff") * self.ratio.denominator * 10**6 > SAFE
        distance = off(table, self.ratio)
        scaled = (distance.astype(object) if wide else distance) * 10**6
        return scaled // table["d_model"]

    def _seen(self, points: Mapping[str, Any]) -> dict[str, Any]:
        goal = self.goals[0]
        count = (over(goal.count, points) if isinstance(points, PointTable)
                 else goal.at(points).value(points))
        return {**points, COUNT: count}

    def configuration(self, dims: Hit) -> Configuration:
        """A point as it is shown."""
        ordered = {name: int(dims[name]) for name in in_order(list(dims))}
        counts = {goal.name: goal.amount(dims) for goal in self.goals}
        target, first = self.goals[0].value, counts[self.goals[0].name]
        seen = self._seen(ordered)
        notes = tuple(p.name for p in self.preferences if p.key != "exact" and p.holds(seen))
        return Configuration(ordered, int(self.total.value(dims)),
                             Fraction(first - target, target), notes,
                             published_near(dims), int(self.score(ordered)), counts,
                             not_held=self._not_held(ordered))


def _gap(goal: Goal, count: Ints) -> Ints:
    """How far counts are from a goal's value; 0 within a limit."""
    value = goal.aim if count.dtype == object else min(goal.aim, SAFE)
    gap = abs(count - value)
    return np.where(count <= value, 0, gap) if goal.relation == "<=" else gap
