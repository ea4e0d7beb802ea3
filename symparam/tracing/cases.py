"""Cases: what a target builds otherwise where a comparison is answered otherwise.

A projection that exists only where two widths differ, or a width that is doubled below a number
of heads, shows at no point that keeps the answer. So each comparison that was recorded, and whose
answer changed at no accepted point, is turned on purpose; and where a dim has no rule, one is
sought among the points that share the base's answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from symparam.tracing.domain import Domain, Values
from symparam.tracing.draws import multiples
from symparam.tracing.fitting import fit
from symparam.tracing.proxies import Comparison
from symparam.tracing.relations import outcome, repaired
from symparam.tracing.sizes import Dim, Sizes
from symparam.tracing.tables import Table, signature
from symparam.tracing.terms import Path

#: Comparisons that are turned, the simplest first.
MAX_TURNED = 24
#: Points that have to be left where a rule holds in one case alone.
MIN_POINTS = 7
#: Comparisons that dims without a rule are split on.
MAX_SPLITS = 8

Point = tuple[Values, Table]


def open_comparisons(domain: Domain, points: Iterable[Values]) -> list[Comparison]:
    """Comparisons about sizes whose answer was the base's at every point."""
    points = list(points)
    sizes = frozenset(domain.movable_all())
    found: dict[tuple[object, ...], Comparison] = {}
    for relation in domain.recorded.compared:
        if not relation.keys or not relation.keys <= sizes or relation in domain.needed:
            continue
        if outcome(relation, domain.base) is not relation.outcome:
            continue  # of a number that changed while it was built
        if all(outcome(relation, v) is relation.outcome for v in points):
            found.setdefault((relation.operation, relation.left, relation.right), relation)
    return sorted(found.values(), key=lambda r: (len(r.keys), str(r.left), str(r.right)))


def turn(domain: Domain, sizes: Sizes) -> None:
    """Turn comparisons on purpose; those with which tensors or shapes change are needed."""
    waiting = open_comparisons(domain, [v for v, _ in sizes.points])[:MAX_TURNED]
    domain.prober.stage("cases", len(waiting))
    for relation in waiting:
        domain.prober.step()
        turned = replace(relation, outcome=not relation.outcome)
        for start in (domain.base, sizes.points[-1][0]):
            values = repaired(dict(start), [*domain.needed, turned], domain.fixed())
            if outcome(turned, values) is not turned.outcome:
                continue
            table = domain.prober.table(values)
            if table is None:
                continue
            if signature(table) != domain.signature:
                domain.needed[relation] = "other tensors"
            elif sizes.wrong(values, table):
                domain.needed[relation] = "other shapes"
            break


def branches(domain: Domain, sizes: Sizes) -> bool:
    """Seek rules for dims that have none where a comparison is answered as at the base.

    Returns: whether one was found; points of the other case are then left out.
    """
    values = [v for v, _ in sizes.points]
    suspects = {r for r in domain.recorded.compared if r.keys and r not in domain.needed
                and r.keys <= set(domain.movable_all()) and outcome(r, domain.base) is r.outcome
                and not all(outcome(r, v) is r.outcome for v in values)}
    ordered = sorted(suspects, key=lambda r: (len(r.keys), str(r.left), str(r.right)))
    for relation in ordered[:MAX_SPLITS] if sizes.unknown() else ():
        kept = [each for each in sizes.points if outcome(relation, each[0]) is relation.outcome]
        kept += _more(domain, relation, MIN_POINTS - len(kept))
        if len(kept) >= MIN_POINTS and any(_fits(sizes, dim, kept) for dim in sizes.unknown()):
            domain.needed[relation] = "other shapes"
            sizes.points = kept
            sizes.given_up.clear()
            sizes.fit()
            return True
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
