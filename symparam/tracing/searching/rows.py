"""Rows as they are found: patterns with shapes as terms, and what they say of a point."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from symparam.dataclass import dataclass
from symparam.ledger import Status
from symparam.traced.records import RowRole
from symparam.tracing.recording.terms import Path, Term, whole_value
from symparam.tracing.rules.copies import FROM_0, Copies
from symparam.tracing.searching.tables import Index, Table, Tensor, index_of, named, pattern_of

#: A dim without a rule: its value at the base, and a number that tells such dims apart.
UNKNOWN = "?"
#: Pattern, shape, status and the pattern that it is tied to.
Seen = tuple[str, tuple[int, ...], Status, str | None]


@dataclass(frozen=True)
class Unit:
    """Tensors alike but for numbers in their names.

    Attributes:
        pattern: every number in the name a star.
        shape: each axis as a term.
        status: trainable, frozen or a buffer.
        tied_to: the pattern whose numbers it shares.
        module: the class of the module that owns it.
        role: what that module does with it.
    """

    pattern: str
    shape: tuple[Term, ...]
    status: Status
    tied_to: str | None
    module: str
    role: RowRole = ""

    def matches(self, tensor: Tensor, values: Mapping[Path, Any],
                memo: dict[Term, Any]) -> bool:
        """Whether a tensor of this pattern may be one of these at a point."""
        tied = None if tensor.tied_to is None else pattern_of(tensor.tied_to)
        return (self.status == tensor.status and self.tied_to == tied
                and len(self.shape) == len(tensor.shape)
                and all(term[0] == UNKNOWN or whole_value(term, values, memo) == x
                        for term, x in zip(self.shape, tensor.shape, strict=True)))


def units_of(table: Table, terms: Mapping[tuple[str, int], Term]) -> dict[str, Unit]:
    """The unit of each tensor of a table, by its name."""
    found: dict[str, Unit] = {}
    for name, tensor in table.items():
        shape = tuple(terms[name, axis] for axis in range(len(tensor.shape)))
        tied = None if tensor.tied_to is None else pattern_of(tensor.tied_to)
        found[name] = Unit(pattern_of(name), shape, tensor.status, tied, tensor.module,
                           tensor.role)
    return found


def assigned(table: Table, values: Mapping[Path, Any], units: Mapping[str, Sequence[Unit]],
             base: Mapping[str, Unit]) -> tuple[dict[Unit, set[Index]], list[str], set[str]]:
    """Which numbers each unit's stars take at a point, the names that are of no unit, and the
    patterns of which a tensor may be of several.

    Args:
        table: the tensors there.
        values: the point.
        units: the units of each pattern.
        base: the unit of each name where the trace began: it decides between equal shapes, and of
            a name that was not there the one most like it.
    """
    near: dict[Unit, list[Index]] = defaultdict(list)
    for name, unit in base.items():
        near[unit].append(index_of(name))
    found: dict[Unit, set[Index]] = defaultdict(set)
    strange: list[str] = []
    alike: set[str] = set()
    memo: dict[Term, Any] = {}
    for name, tensor in table.items():
        fitting = [u for u in units.get(pattern_of(name), ()) if u.matches(tensor, values, memo)]
        if not fitting:
            strange.append(name)
            continue
        before = base.get(name)
        if len(fitting) > 1:
            alike.add(pattern_of(name))
        if before not in fitting and len(fitting) > 1:
            fitting = sorted(fitting, key=lambda u: -_likeness(name, near[u]))
        found[before if before in fitting else fitting[0]].add(index_of(name))
    return found, strange, alike


def _likeness(name: str, others: Iterable[Index]) -> int:
    """How many numbers in a name are those of the one of some others that is most like it."""
    mine = index_of(name)
    return max((sum(a == b for a, b in zip(mine, other, strict=True)) for other in others),
               default=0)


@dataclass(frozen=True)
class FoundRow:
    """A unit with its copies."""

    unit: Unit
    copies: Copies

    def numbered(self) -> FoundRow:
        """The same with numbers for axes that have no rule."""
        shape = tuple(term[1] if term[0] == UNKNOWN else term for term in self.unit.shape)
        return replace(self, unit=replace(self.unit, shape=shape))

    def count(self, values: Mapping[Path, Any]) -> int | None:
        """How many there are at a point; None where that cannot be worked out."""
        total = 1
        for factor in self.copies.factors:
            value = whole_value(factor, values)
            if value is None:
                return None
            total *= value
        return total

    def shape(self, values: Mapping[Path, Any], memo: dict[Term, Any]) -> tuple[int | None, ...]:
        """The shape at a point; None for what has no rule."""
        return tuple(whole_value(term, values, memo) for term in self.unit.shape)

    def names(self, values: Mapping[Path, Any]) -> list[str] | None:
        """Every name at a point; None where the stars' numbers follow no order."""
        if not self.copies.factors:
            return [self.copies.pattern]
        counts = [whole_value(f, values) for f in self.copies.factors]
        if self.copies.numbers is None or len(counts) != self.copies.pattern.count("*"):
            return None
        indices: list[Index] = [()]
        for place, count in enumerate(counts):
            order = self.copies.numbers if place == 0 else FROM_0
            numbers = None if count is None else order.first(count, values)
            if numbers is None:
                return None
            indices = [(*i, n) for i in indices for n in numbers]
        return [named(self.copies.pattern, index) for index in indices]


def predicted(rows: Iterable[FoundRow], values: Mapping[Path, Any]) -> Counter[tuple[Any, ...]]:
    """How many tensors of each pattern, shape and status rows say there are at a point."""
    memo: dict[Term, Any] = {}
    found: Counter[tuple[Any, ...]] = Counter()
    for row in rows:
        count = row.count(values)
        unit = row.unit
        found[unit.pattern, row.shape(values, memo), unit.status, unit.tied_to] += count or 0
    return +found


def seen_in(table: Table) -> Counter[tuple[Any, ...]]:
    """How many tensors of each pattern, shape and status there are."""
    return Counter((pattern_of(n), t.shape, t.status,
                    None if t.tied_to is None else pattern_of(t.tied_to))
                   for n, t in table.items())


def disagreements(rows: Sequence[FoundRow], values: Mapping[Path, Any], table: Table,
                  given: bool = False) -> list[str]:
    """Patterns of which a point has other shapes, numbers or names than rows say.

    Axes without a rule are not compared: that they have none is said elsewhere. Only at the
    target's own numbers they have to be what they are left as.
    """
    masks: dict[str, set[int]] = defaultdict(set)
    if given:
        rows = [row.numbered() for row in rows]
    for row in rows:
        masks[row.unit.pattern] |= {i for i, t in enumerate(row.unit.shape) if t[0] == UNKNOWN}
    said, seen = (_masked(each, masks) for each in (predicted(rows, values), seen_in(table)))
    wrong = {each[0] for each in said.keys() | seen.keys() if said[each] != seen[each]}
    return sorted(wrong | _misnamed(rows, values, table))


def _masked(counted: Counter[tuple[Any, ...]], masks: Mapping[str, set[int]]
            ) -> Counter[tuple[Any, ...]]:
    found: Counter[tuple[Any, ...]] = Counter()
    for (pattern, shape, *rest), n in counted.items():
        hidden = tuple(None if i in masks.get(pattern, ()) else x for i, x in enumerate(shape))
        found[pattern, hidden, *rest] += n
    return found


def _misnamed(rows: Sequence[FoundRow], values: Mapping[Path, Any], table: Table) -> set[str]:
    """Patterns whose names are said otherwise than they are."""
    said: dict[str, set[str] | None] = {}
    for row in rows:
        names, before = row.names(values), said.get(row.unit.pattern, set())
        said[row.unit.pattern] = None if names is None or before is None else before | set(names)
    seen: dict[str, set[str]] = defaultdict(set)
    for name in table:
        seen[pattern_of(name)].add(name)
    return {pattern for pattern, names in said.items()
            if names is not None and names != seen[pattern]}
