"""Structure: the tensors where layers are counted otherwise, and rules for their copies."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from symparam.tracing.recording.terms import Path, Term, keys_in, size, text
from symparam.tracing.rules.copies import Copies, solve
from symparam.tracing.searching.domain import Domain, Values
from symparam.tracing.searching.rows import UNKNOWN, FoundRow, Unit, assigned, units_of
from symparam.tracing.searching.sizes import Sizes
from symparam.tracing.searching.tables import Index, Table, index_of, pattern_of

#: Values that a key of structure takes alone, besides the base's.
ALONE = 3
#: Points at which all keys of structure are drawn, and two more for each.
TOGETHER = 4
#: Points that are drawn for one that is accepted, at most.
REFUSED = 3
#: Terms that counts are compared with at last.
MAX_COMPUTED = 100

#: A point, the numbers that each unit's stars take there, and patterns of which a tensor may be of
#: several units.
Assigned = tuple[Values, Mapping[Unit, set[Index]], Collection[str]]


class Structure:
    """Rows of units: what each pattern's stars take as keys of structure move.

    Attributes:
        seen: points at which the target was built for this, and what was there.
        rows: the units with their copies.
        loose: units whose copies follow no rule, with the keys of structure that they follow.
        strange: names that were of no unit, with the keys that had moved.
        looked_at: keys without a rule of which further numbers were built for that.
    """

    def __init__(self, domain: Domain, sizes: Sizes) -> None:
        self.domain, self.sizes = domain, sizes
        self.keys = domain.of_kind("structure")
        self.computed = self._computed()
        self.seen: list[tuple[Values, Table]] = []
        self.rows: list[FoundRow] = []
        self.loose: dict[Unit, frozenset[Path]] = {}
        self.strange: dict[str, list[frozenset[Path]]] = {}
        self.looked_at: frozenset[Path] = frozenset()
        self.passed = False  # whether a case of one number was passed over

    def _computed(self) -> tuple[Term, ...]:
        """The simplest of what the code computed of keys of structure alone."""
        keys = frozenset(self.keys)
        found = [t for t in (*self.sizes.pool(), *self.domain.recorded.extremes())
                 if t[0] != "k" and keys_in(t) and keys_in(t) <= keys]
        return tuple(sorted(set(found), key=lambda t: (size(t), text(t)))[:MAX_COMPUTED])

    def generic(self) -> tuple[Values, Table]:
        """The fitted point that tells most shapes apart."""
        return max(self.sizes.points, key=lambda each: len({t.shape for t in each[1].values()}))

    def draw(self, given: tuple[Values, Table]) -> None:
        """Build with each key of structure moved alone, then with all of them.

        Args:
            given: the target's own numbers, and what is there.
        """
        if not self.keys:
            return
        values, table = self.generic()
        self.seen += [(values, table), given]
        if self._alike(given):
            self._build({**values, **{path: given[0][path] for path in self.keys}})
        together = TOGETHER + 2 * len(self.keys) if len(self.keys) > 1 else 1
        self.domain.prober.stage("structure", ALONE * len(self.keys) + together)
        for path in self.keys:
            base = self.domain.base[path]
            options = dict.fromkeys((base + 1, base + 2, 2 * base + 1, base - 1, base - 2,
                                     base // 2, 1))
            self._until(ALONE, ({**values, path: v} for v in options if 0 < v != base))
        self._until(together, (self.domain.restructured(values)
                               for _ in range(REFUSED * together)))

    def _alike(self, point: tuple[Values, Table]) -> bool:
        """Whether tensors of a point may be of several units: these have the same shape there."""
        base = units_of(self.domain.first, self.sizes.terms)
        return bool(assigned(point[1], point[0], _by_pattern(base), base)[2])

    def _until(self, wanted: int, tried: Iterable[Values]) -> None:
        """Build at points until so many were accepted."""
        for values in tried:
            wanted -= self._build(values)
            if wanted <= 0:
                return

    def draw_more(self, keys: Collection[Path], wanted: int) -> None:
        """Build with keys moved alone until there are so many points that keep what is needed."""
        values, _ = self.generic()
        for path in sorted(keys, key=str):
            for value in range(1, 2 * int(self.domain.base[path]) + wanted):
                if len(self.seen) >= wanted:
                    break
                tried = {**values, path: value}
                if self.domain.kept(tried) and all(v != tried for v, _ in self.seen):
                    self._build(tried)

    def _build(self, values: Values) -> bool:
        """Build at a point; whether it was accepted, and was none before."""
        table = self.domain.prober.table(values)
        new = table is not None and all(v != values for v, _ in self.seen)
        if table is not None and new:
            self.seen.append((values, table))
        self.domain.prober.step()
        return new

    def settle(self) -> frozenset[Path]:
        """Find the rows; dims that follow keys of structure are fitted anew, once.

        Returns: keys of structure that have to be held, since no rule was found.
        """
        self.solve()
        if self.strange and self._refit():
            self.solve()
        return self.culprits()

    def _refit(self) -> bool:
        """Give strange names of the base their shapes at points of structure; whether it helped."""
        before = dict(self.sizes.extra)
        for name in self.strange.keys() & self.domain.first.keys():
            there = [(v, t[name].shape) for v, t in self.seen if name in t]
            rank = len(self.domain.first[name].shape)
            for axis in range(rank) if all(len(s) == rank for _, s in there) else ():
                self.sizes.extra[name, axis] = [(v, s[axis]) for v, s in there]
        unknown = len(self.sizes.unknown())
        self.sizes.fit()
        if len(self.sizes.unknown()) > unknown:
            self.sizes.extra = before
            self.sizes.fit()
            return False
        return True

    def at_most(self) -> list[tuple[Path, Path]]:
        """Pairs of keys of which the first may not be larger where the rules for copies hold."""
        return list(dict.fromkeys(pair for row in self.rows for pair in row.copies.at_most))

    def excluded(self, values: Mapping[Path, Any]) -> bool:
        """Whether a point is outside of where the rules for copies hold."""
        return any(values[less] > values[more] for less, more in self.at_most())

    def divided(self, times: int = 1) -> list[Path]:
        """The keys of structure of which a count takes a quotient, or so many: what takes several
        fits few points by chance."""
        found = {path for row in self.rows for factor in row.copies.factors
                 if quotients_in(factor) >= times for path in quotients_of(factor)}
        return [path for path in self.keys if path in found]

    def solve(self) -> None:
        """Find the rows; what follows no rule is put aside with the keys that it follows."""
        self.rows, self.loose, self.strange = [], {}, {}
        base = units_of(self.domain.first, self.sizes.terms)
        units = _by_pattern(base)
        if not self.seen:
            at_base: dict[Unit, set[Index]] = defaultdict(set)
            for name, unit in base.items():
                at_base[unit].add(index_of(name))
            self._solve_units(base, [(self.domain.base, at_base, frozenset())])
            return
        points: list[Assigned] = []
        for values, table in self.seen:
            found, strange, alike = assigned(table, values, units, base)
            points.append((values, found, alike))
            moved = frozenset(p for p in self.keys if values[p] != self.domain.base[p])
            for name in strange:
                self.strange.setdefault(name, []).append(moved)
        self._solve_units(base, points)

    def _solve_units(self, base: Mapping[str, Unit], points: Sequence[Assigned]) -> None:
        patterns = Counter(unit.pattern for unit in dict.fromkeys(base.values()))
        for unit in dict.fromkeys(base.values()):
            told = [each for each in points if unit.pattern not in each[2]]
            seen = [(values, frozenset(found.get(unit, ())))
                    for values, found, _ in (told if told[:1] == points[:1] and self._enough(told)
                                             else points)]
            made: list[Copies] | None = solve(unit.pattern, seen, self.keys, self.computed)
            if self._uncertain(unit, patterns[unit.pattern]):
                self.loose[unit] = self.followed({unit.pattern})
            elif made is None:
                self.loose[unit] = self._follows(unit, points)
            else:
                self.rows += [FoundRow(unit, copies) for copies in made]

    def _enough(self, points: Sequence[Assigned]) -> bool:
        """Whether some points alone show what copies follow: each key moves, and there are as many
        as are drawn at the least."""
        return len(points) > ALONE and all(
            len({values[path] for values, _, _ in points}) > ALONE - 1 for path in self.keys)

    def _uncertain(self, unit: Unit, alike: int) -> bool:
        """Whether an axis without a rule may follow structure, or hide which row it is of."""
        if not self.seen or all(term[0] != UNKNOWN for term in unit.shape):
            return False
        shapes: dict[tuple[Any, ...], set[tuple[int, ...]]] = defaultdict(set)
        for values, table in self.seen:
            shapes[tuple(v for p, v in values.items() if p not in self.keys)] |= {
                t.shape for name, t in table.items() if pattern_of(name) == unit.pattern}
        moves = len({frozenset(n for n in table if pattern_of(n) == unit.pattern)
                     for _, table in self.seen}) > 1
        return any(len(each) > 1 for each in shapes.values()) or (alike > 1 and moves)

    def _follows(self, unit: Unit, points: Sequence[Assigned]) -> frozenset[Path]:
        """The keys of structure with which the copies of a unit change, moved alone."""
        return self._changing([(values, frozenset(seen.get(unit, ())))
                               for values, seen, _ in points])

    def followed(self, patterns: Collection[str]) -> frozenset[Path]:
        """The keys of structure with which tensors of some patterns change, moved alone."""
        return self._changing([(values, frozenset(
            (name, t.shape) for name, t in table.items() if pattern_of(name) in patterns))
            for values, table in self.seen])

    def _changing(self, seen: Sequence[tuple[Values, object]]) -> frozenset[Path]:
        """Keys that, moved alone from the first point, change what is there, and such as never
        were moved alone; all, if none does."""
        start, before = seen[0]
        alone, found = set[Path](), set[Path]()
        for values, here in seen[1:]:
            moved = [p for p in values if values[p] != start[p]]
            if len(moved) == 1 and moved[0] in self.keys:
                alone.add(moved[0])
                found |= {moved[0]} if here != before else set()
        return frozenset(found | (set(self.keys) - alone) if found else self.keys)

    def wider(self, culprits: Collection[Path]) -> Values:
        """For keys that no rule was found for, the least number with which there is all that the
        base has, and shapes that are of no unit; empty where none is such."""
        found: Values = {}
        start, before = self.seen[0] if self.seen else ({}, {})
        for values, table in sorted(self.seen, key=lambda each: len(each[1])):
            moved = [p for p in self.keys if values[p] != start[p]]
            if len(moved) == 1 and moved[0] in culprits and moved[0] not in found and (
                    _shapes(table) > _shapes(before)) and not self.strange.keys().isdisjoint(table):
                found[moved[0]] = values[moved[0]]
        return found

    def culprits(self) -> frozenset[Path]:
        """Keys of structure that have to be held: copies that follow them have no rule.

        A key that alone brought what is of no unit answers for all that came with it.
        """
        sets = [keys for each in self.strange.values() for keys in each]
        sets.sort(key=len)
        sets += self.loose.values()
        blamed: frozenset[Path] = frozenset()
        for keys in sets:
            if not keys & blamed:
                blamed |= keys
        return blamed


def _shapes(table: Table) -> Counter[str]:
    """How many shapes each pattern of a table has."""
    return Counter(pattern for pattern, _ in {
        (pattern_of(name), tensor.shape) for name, tensor in table.items()})


def _by_pattern(base: Mapping[str, Unit]) -> dict[str, list[Unit]]:
    """The units of each pattern."""
    units: dict[str, list[Unit]] = defaultdict(list)
    for unit in dict.fromkeys(base.values()):
        units[unit.pattern].append(unit)
    return units


def quotients_of(term: Term) -> frozenset[Path]:
    """The keys in the quotients of a term."""
    if term[0] in ("//", "/"):
        return keys_in(term)
    return frozenset().union(*map(quotients_of, term[1:])) if term[0] not in ("k", "n") else (
        frozenset())


def quotients_in(term: Term) -> int:
    """How many quotients there are in a term, but for those within others."""
    if term[0] in ("//", "/"):
        return 1
    return sum(map(quotients_in, term[1:])) if term[0] not in ("k", "n") else 0
