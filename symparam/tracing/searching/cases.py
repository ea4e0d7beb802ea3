"""Cases: what a target builds otherwise where a comparison is answered otherwise.

Comparisons are turned on purpose (:mod:`symparam.tracing.searching.turning`); where a dim or a
count has no rule, one is sought among the points that share the base's answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symparam.tracing.recording.records import Comparison
from symparam.tracing.recording.terms import Path, key, number
from symparam.tracing.rules.copies import ANCHORS
from symparam.tracing.rules.fitting import fit
from symparam.tracing.searching.domain import Domain, Values
from symparam.tracing.searching.draws import multiples
from symparam.tracing.searching.relations import outcome, repaired
from symparam.tracing.searching.sizes import Dim, Sizes
from symparam.tracing.searching.structure import Structure
from symparam.tracing.searching.tables import Table
from symparam.tracing.searching.turning import simplest

#: Points that have to be left where a rule holds in one case alone.
MIN_POINTS = 7
#: Comparisons that dims without a rule are split on.
MAX_SPLITS = 8
#: Keys that are tried from where the search begins upward.
MAX_FLOORS = 3

Point = tuple[Values, Table]


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
    return sorted(found, key=simplest)


def parted(domain: Domain, structure: Structure, culprits: frozenset[Path],
           upward: bool = False, single: bool = True) -> bool:
    """Seek a comparison of keys of structure beyond which alone their copies follow no rule: one
    that the target makes, or, ``upward``, the least number with which the search begins.

    Args:
        domain, structure: what is known.
        culprits: keys of structure that copies follow by no rule.
        upward: whether where the search begins may be the least number.
        single: whether one number alone may be a case: with more there may be more to see.

    Returns: whether one was found; points of the other case are then left out.
    """
    before = list(structure.seen)
    asked = _answered_both_ways(domain, [v for v, _ in before])[:MAX_SPLITS]
    for relation in (*asked, *(_from_where_it_begins(before, culprits) if upward else ())):
        kept = [each for each in before if outcome(relation, each[0]) is relation.outcome]
        if not relation.keys & culprits or any(each not in kept for each in before[:ANCHORS]):
            continue
        if not single and _at_one_number(relation.keys & culprits, kept):
            structure.passed = True
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


def _at_one_number(paths: Iterable[Path], points: Sequence[Point]) -> bool:
    """Whether none of some keys has more than one number at points."""
    return all(len({values[path] for values, _ in points}) == 1 for path in paths)


def _from_where_it_begins(seen: Sequence[Point], culprits: frozenset[Path]) -> list[Comparison]:
    """For each of a few keys, that it is no less than at the points where the search begins."""
    least = {p: min(values[p] for values, _ in seen[:ANCHORS]) for p in culprits if seen}
    return [Comparison("<", number(n - 1), key(path), True) for path, n in sorted(
        least.items(), key=str)[:MAX_FLOORS] if any(values[path] < n for values, _ in seen)]


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
    """The keys that dims without a rule follow: each is moved from several points, with others
    where it cannot be moved without them, and then all of these may be what a dim follows."""
    found: dict[Dim, set[Path]] = {dim: set() for dim in dims}
    starts = [sizes.points[0], *sizes.points[-2:]]
    for path in domain.of_kind("size") if found else ():
        for values, table in starts:
            old = values[path]
            for new in dict.fromkeys((1, old + 1, 2 * old, max(1, old // 2), 8 * old)):
                tried = repaired({**values, path: new}, domain.needed, domain.fixed() | {path})
                moved = domain.same(tried)
                if moved is None:
                    continue
                for (name, axis), keys in found.items():
                    if moved[name].shape[axis] != table[name].shape[axis]:
                        keys |= {p for p in tried if tried[p] != values[p]}
    everything = frozenset(domain.of_kind("size"))
    return {dim: frozenset(keys) or everything for dim, keys in found.items()}
