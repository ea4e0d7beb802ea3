"""Cases: what a target builds otherwise where a comparison is answered otherwise.

A projection that exists only where two widths differ, or that comes with the ninth layer, shows at
no point that keeps the answer. So each comparison that was recorded, and whose answer changed at no
point that was right, is turned on purpose: what is otherwise there is a case, and so is what lies
too far to be built. Where a dim or a count has no rule, one is sought among the points that share
the base's answer.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from symparam.dataclass import dataclass
from symparam.tracing.copies import ANCHORS
from symparam.tracing.domain import UNBUILT, Domain, Values
from symparam.tracing.draws import multiples
from symparam.tracing.fitting import fit
from symparam.tracing.proxies import Comparison
from symparam.tracing.relations import MAX_VALUE, apart, broken, outcome, repaired
from symparam.tracing.rows import FoundRow, disagreements, predicted, seen_in
from symparam.tracing.sizes import Dim, Sizes
from symparam.tracing.structure import Structure
from symparam.tracing.tables import Table, signature
from symparam.tracing.terms import Path

#: Comparisons that are turned, the simplest first.
MAX_TURNED = 24
#: Times that what was first compared at a turned point is turned in its turn.
MAX_NESTED = 3
#: Points at which comparisons are recorded once more when there are rows.
RECORDED = 2
#: Nothing is built with more layers than so many, or than the target has.
MAX_LAYERS = 64
#: A number that no caller goes beyond.
FAR = 2**40
#: Points drawn at random where no repair turns a comparison.
GUESSES = 40
#: Points that have to be left where a rule holds in one case alone.
MIN_POINTS = 7
#: Comparisons that dims without a rule are split on.
MAX_SPLITS = 8

Point = tuple[Values, Table]


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

    def open(self) -> list[Comparison]:
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
        return sorted(found.values(), key=lambda r: (len(r.keys), str(r.left), str(r.right)))

    def turn(self) -> None:
        """Turn what is open; what tensors or shapes change with, or nobody could build, is needed.

        What is compared only where an answer was turned is recorded there, and turned in its turn.
        """
        for _ in range(MAX_NESTED):
            waiting = self.open()
            if not waiting:
                return
            self.domain.prober.stage("cases", len(waiting))
            for place, relation in enumerate(waiting):
                self._turn(relation, build=place < MAX_TURNED)
                self.domain.prober.step()

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
        elif refused and not around and all(_alone(relation, *each) for each in refused):
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
    domain.turned += turning.points[len(known):]


def _patterns(counted: Counter[tuple[Any, ...]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for (pattern, *_), number in counted.items():
        found[pattern] += number
    return found


def branches(domain: Domain, sizes: Sizes) -> bool:
    """Seek rules for dims that have none where a comparison is answered as at the base.

    Returns: whether one was found; points of the other case are then left out.
    """
    values = [v for v, _ in sizes.points]
    structure = frozenset(domain.of_kind("structure"))
    suspects = [r for r in _answered_both_ways(domain, values)
                if r.keys & frozenset(domain.movable_all()) and not r.keys & structure]
    for relation in suspects[:MAX_SPLITS] if sizes.unknown() else ():
        kept = [each for each in sizes.points if outcome(relation, each[0]) is relation.outcome]
        kept += _more(domain, relation, MIN_POINTS - len(kept))
        if len(kept) >= MIN_POINTS and any(_fits(sizes, dim, kept) for dim in sizes.unknown()):
            domain.needed[relation] = "other shapes"
            sizes.points = kept
            sizes.given_up.clear()
            sizes.fit()
            return True
    return False


def _answered_both_ways(domain: Domain, points: Sequence[Values]) -> list[Comparison]:
    """Comparisons whose answer is the base's at some points and is not at others."""
    found = {r for r in domain.recorded.compared if r not in domain.needed
             and outcome(r, domain.base) is r.outcome
             and not all(outcome(r, v) is r.outcome for v in points)}
    return sorted(found, key=lambda r: (len(r.keys), str(r.left), str(r.right)))


def parted(domain: Domain, structure: Structure, culprits: frozenset[Path]) -> bool:
    """Seek a comparison of keys of structure beyond which alone their copies follow no rule.

    Returns: whether one was found; points of the other case are then left out.
    """
    before = list(structure.seen)
    for relation in _answered_both_ways(domain, [v for v, _ in before])[:MAX_SPLITS]:
        kept = [each for each in before if outcome(relation, each[0]) is relation.outcome]
        if not relation.keys & culprits or any(each not in kept for each in before[:ANCHORS]):
            continue
        domain.needed[relation] = "other tensors"
        structure.seen = kept
        structure.draw_more(relation.keys & culprits, MIN_POINTS)
        if not structure.settle() & culprits:
            return True
        del domain.needed[relation]
        structure.seen = list(before)
    structure.settle()
    return False


def _more(domain: Domain, relation: Comparison, count: int) -> list[Point]:
    """Further points at which a comparison is answered as at the base."""
    found: list[Point] = []
    for _ in range(max(0, 2 * count)):
        values = repaired(domain.drawn(multiples), [*domain.needed, relation], domain.fixed())
        table = domain.same(values) if outcome(relation, values) is relation.outcome else None
        if table is not None and len(found) < count:
            found.append((values, table))
    return found


def _fits(sizes: Sizes, dim: Dim, points: list[Point]) -> bool:
    """Whether a dim has a rule at some points."""
    name, axis = dim
    vector = tuple(table[name].shape[axis] for _, table in points)
    found = fit([vector], sizes.leaves(), sizes.pool(), [v for v, _ in points])
    return vector in found and len(set(vector)) > 1


def followed(domain: Domain, sizes: Sizes, dims: Iterable[Dim]) -> dict[Dim, frozenset[Path]]:
    """The keys that dims without a rule follow: each is moved alone, from several points."""
    found: dict[Dim, set[Path]] = {dim: set() for dim in dims}
    starts = [sizes.points[0], *sizes.points[-2:]]
    for path in domain.of_kind("size") if found else ():
        for values, table in starts:
            old = values[path]
            for new in dict.fromkeys((1, old + 1, 2 * old, max(1, old // 2), 8 * old)):
                moved = domain.same({**values, path: new})
                if moved is None:
                    continue
                for (name, axis), keys in found.items():
                    if moved[name].shape[axis] != table[name].shape[axis]:
                        keys.add(path)
    everything = frozenset(domain.of_kind("size"))
    return {dim: frozenset(keys) or everything for dim, keys in found.items()}
