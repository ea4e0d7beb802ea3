"""Comparisons turned on purpose: a case that no drawn point shows.

A projection that exists only where two widths differ, or that comes with the ninth layer, shows at
no point that keeps the answer. So each comparison that was recorded, and whose answer changed at no
point that was right, is turned on purpose: what is otherwise there is a case, and so is what lies
too far to be built.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from symparam.dataclass import dataclass
from symparam.tracing.recording import terms
from symparam.tracing.recording.records import Comparison
from symparam.tracing.recording.terms import Path
from symparam.tracing.searching.domain import UNBUILT, Domain, Values
from symparam.tracing.searching.relations import MAX_VALUE, apart, broken, outcome, repaired
from symparam.tracing.searching.rows import FoundRow, disagreements, predicted, seen_in
from symparam.tracing.searching.sizes import Sizes
from symparam.tracing.searching.tables import Table, signature

#: Comparisons that are turned, the simplest first.
MAX_TURNED = 24
#: Times that what was first compared at a turned point is turned in its turn.
MAX_NESTED = 3
#: Comparisons that are turned at once.
MAX_TOGETHER = 16
#: Points at which comparisons are recorded once more when there are rows.
RECORDED = 2
#: Nothing is built with more layers than so many, or than the target has.
MAX_LAYERS = 64
#: A number that no caller goes beyond.
FAR = 2**40
#: Points drawn at random where no repair turns a comparison.
GUESSES = 40

Judge = Callable[[Values, Table], str]


@dataclass
class Turning:
    """Comparisons that are turned on purpose, from some points.

    Attributes:
        domain: the keys and what is compared of them.
        judge: what is otherwise at a point than was found: nothing where it is empty.
        free: the keys that may be changed for this.
        starts: points to begin from, the first best.
        points: where all was right, whatever a comparison's answer was there.
        within: what was turned where a comparison was first asked, outermost first.
    """

    domain: Domain
    judge: Judge
    free: frozenset[Path]
    starts: Sequence[Values]
    points: list[Values]
    within: dict[Comparison, tuple[Comparison, ...]] = field(default_factory=dict)

    def waiting(self) -> list[Comparison]:
        """Comparisons about free keys whose answer was the base's at every point."""
        found: dict[tuple[object, ...], Comparison] = {}
        apart = frozenset(self.domain.of_kind("structure")) - self.free
        for relation in self.domain.recorded.compared:
            if not relation.keys & self.free or relation.keys & apart or (
                    relation in self.domain.needed or relation in self.domain.barred):
                continue
            if outcome(relation, self.domain.base) is not relation.outcome:
                continue  # of a number that changed while it was built
            around = self.within.get(relation, ())
            if all(outcome(relation, v) is relation.outcome for v in self.points
                   if not broken(around, v)):
                found.setdefault((relation.operation, relation.left, relation.right), relation)
        return sorted(found.values(), key=simplest)

    def turn(self) -> None:
        """Turn what is open; what tensors or shapes change with, or nobody could build, is needed.

        What is compared only where an answer was turned is recorded there, and turned in its turn.
        """
        for _ in range(MAX_NESTED):
            waiting = self.waiting()
            if not waiting:
                return
            self.domain.prober.stage("cases", len(waiting))
            for place, relation in enumerate(waiting):
                self._turn(relation, build=place < MAX_TURNED)
                self.domain.prober.step()

    def turn_together(self) -> None:
        """Turn as many comparisons at once as can be: some cases need several of them."""
        answered = {r for r in self.domain.recorded.compared if r.keys & self.free
                    and r not in self.domain.needed and r not in self.domain.barred
                    and outcome(r, self.domain.base) is r.outcome}
        chosen: list[Comparison] = []
        for relation in sorted(answered, key=simplest)[:MAX_TOGETHER]:
            turned = [*map(_other, chosen), _other(relation)]
            if self._point(turned, self.domain.base, self.limits()) is not None:
                chosen.append(relation)
        if len(chosen) < 2 or not (wrong := self._wrong_where(chosen)):
            return
        for relation in list(chosen):
            rest = [each for each in chosen if each is not relation]
            if rest and self._wrong_where(rest):
                chosen = rest
        self.domain.needed[chosen[0]] = wrong

    def none(self) -> None:
        """Where there are no layers of a kind: there are some, where other tensors come with none.
        """
        for path in self.domain.of_kind("structure"):
            some = Comparison("<", terms.number(0), terms.key(path), True)
            values = {**self.starts[0], path: 0}
            if not broken(self.domain.needed, values) and (wrong := self._wrong(values)):
                self.domain.needed[some] = wrong

    def _wrong_where(self, relations: Sequence[Comparison]) -> str | None:
        """What is otherwise where all of some comparisons are turned."""
        values = self._point([*map(_other, relations)], self.domain.base, self.limits())
        return None if values is None else self._wrong(values)

    def _turn(self, relation: Comparison, build: bool) -> None:
        turned = _other(relation)
        refused: list[tuple[Values, Values]] = []
        around = self.within.get(relation, ())
        for start in self.starts if build else ():
            values = self._point([*around, turned], start, self.limits())
            wrong = None if values is None else self._wrong(values)
            if values is None or wrong is None:
                refused += [(start, values)] if values is not None else []
                continue
            beyond = None if wrong else self._beyond([*around, turned], values)
            wrong = wrong or ("" if beyond is None else self._wrong(beyond))
            if wrong:
                self._need(relation, wrong)
                return
            for new in self.domain.record(values):
                self.within[new] = (*around, turned)
            return
        if not refused and self._point([*around, turned], self.domain.base,
                                       dict.fromkeys(self.free, FAR)):
            self._need(relation, UNBUILT)
        elif refused and not around and all(
                _alone(relation, *each) for each in refused) and not (
                    self.domain.accepted_otherwise(relation, [*self.domain.needed])):
            self.domain.needed[relation] = "refused"
            self.domain.said[relation] = self.domain.prober.problem_at(refused[0][1])
        else:
            self.domain.barred.add(relation)

    def _wrong(self, values: Values) -> str | None:
        """What is otherwise at a point than was found; None where it is refused."""
        table = self.domain.prober.table(values)
        if table is None:
            return None
        wrong = self.judge(values, table)
        if not wrong:
            self.points.append(values)
        return wrong

    def _beyond(self, turned: Sequence[Comparison], at: Values) -> Values | None:
        """A point further on the other side of what is the smaller of two numbers there.

        The larger of two numbers is the same on both sides of where they are equal.
        """
        if turned[-1].operation != "<":
            return None
        limits = self.limits()
        tried = [{**at, path: number} for path in sorted(turned[-1].keys & self.free, key=str)
                 for number in (1, 2, limits[path] // 2)]
        tried = [values for values in tried if not broken([*self.domain.needed, *turned], values)]
        return max(tried, key=lambda values: apart(turned[-1], values), default=None)

    def _need(self, relation: Comparison, why: str) -> None:
        """A comparison has to be answered as at the base; of one inside another, the outermost."""
        around = self.within.get(relation, ())
        self.domain.needed[_other(around[0]) if around else relation] = why

    def limits(self) -> dict[Path, int]:
        """The largest number that a key is brought to: of layers, few more than there are."""
        return {path: max(MAX_LAYERS, int(self.domain.base[path]))
                if self.domain.kinds.get(path) == "structure" else MAX_VALUE for path in self.free}

    def _point(self, turned: Sequence[Comparison], start: Values, limits: Mapping[Path, int]
               ) -> Values | None:
        """A point near another at which comparisons are turned, and all that is needed holds."""
        fixed = frozenset(self.domain.base) - self.free
        relations = [*self.domain.needed, *turned]
        for path in sorted(turned[-1].keys & self.free, key=str):
            for number in _beside(start[path]):
                values = {**start, path: number}
                if number <= limits[path] and not broken(relations, values):
                    return values
        values = repaired(dict(start), relations, fixed, limits)
        if not broken(relations, values):
            return values
        rng = random.Random(str(turned[-1]))
        keys = sorted(frozenset().union(*(r.keys for r in turned)) & self.free, key=str)
        for _ in range(GUESSES):
            guess = {path: round(2 ** rng.uniform(0, math.log2(limits[path]))) for path in keys}
            if not broken(turned, {**start, **guess}):
                values = repaired({**start, **guess}, relations, fixed, limits)
                if not broken(relations, values):
                    return values
        return None


def _beside(number: int) -> Iterable[int]:
    """Numbers that one may be moved to alone."""
    return (n for n in (number + 1, number - 1, 2 * number, 2 * number + 1, 7, 2, 1) if n > 0)


def _alone(relation: Comparison, start: Values, values: Values) -> bool:
    """Whether one key of a comparison is all that tells a point from another."""
    moved = [path for path in values if values[path] != start[path]]
    return len(moved) == 1 and moved[0] in relation.keys


def simplest(relation: Comparison) -> tuple[int, str, str]:
    """An order of comparisons."""
    return len(relation.keys), str(relation.left), str(relation.right)


def _other(relation: Comparison) -> Comparison:
    """The same with the other answer."""
    return replace(relation, outcome=not relation.outcome)


def turn(domain: Domain, sizes: Sizes) -> None:
    """Turn comparisons of sizes; those with which tensors or shapes change are needed."""
    def judge(values: Values, table: Table) -> str:
        if signature(table) != domain.signature:
            return "other tensors"
        return "other shapes" if sizes.wrong(values, table) else ""
    turning = Turning(domain, judge, frozenset(domain.movable_all()),
                      [domain.base, sizes.points[-1][0]], [v for v, _ in sizes.points])
    turning.turn()
    domain.turned += turning.points[len(sizes.points):]


def turn_all(domain: Domain, rows: Sequence[FoundRow], points: Sequence[Values]) -> None:
    """Turn comparisons that layers are counted in too, once there are rows.

    Args:
        domain: the keys.
        rows: what was found, and is right at these points.
        points: where it is, the one to begin from first.
    """
    def judge(values: Values, table: Table) -> str:
        if not disagreements(rows, values, table):
            return ""
        said, seen = predicted(rows, values), seen_in(table)
        return "other shapes" if _patterns(said) == _patterns(seen) else "other tensors"
    free = frozenset(domain.movable_all()) | frozenset(domain.of_kind("structure"))
    known = [*points, *domain.turned]
    for values in points[1:1 + RECORDED]:
        domain.record(values)
    turning = Turning(domain, judge, free, [domain.base, points[0]], list(known))
    turning.turn()
    turning.turn_together()
    turning.none()
    domain.turned += turning.points[len(known):]


def _patterns(counted: Counter[tuple[Any, ...]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for (pattern, *_), number in counted.items():
        found[pattern] += number
    return found
