"""What moving a key does: shapes follow it, tensors follow it, nothing does, or it is refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from symparam.traced.records import KeyKind
from symparam.tracing.recording.terms import Path, keys_in
from symparam.tracing.searching.bases import DEPTH, counts_differ, moves, word
from symparam.tracing.searching.domain import Domain, Values
from symparam.tracing.searching.draws import SMALL, STYLES, fresh
from symparam.tracing.searching.intervals import between
from symparam.tracing.searching.tables import Table, signature


def classify(domain: Domain) -> None:
    """Move each key alone, and note what it does."""
    numbers = domain.numbers()
    domain.prober.stage("keys", len(domain.base))
    others = [p for p in domain.base if p not in numbers and p not in domain.held]
    followed, still = _followed(domain, others), _still(domain, numbers)
    for path in domain.base:
        if path in domain.held or path in followed:
            domain.kinds[path] = "held"
        elif path in still:
            domain.kinds[path] = "inert"
        else:
            domain.kinds[path] = _alone(domain, path) if path in numbers else "inert"
        domain.prober.step()
    deepen(domain)
    beside(domain)
    elsewhere(domain)


def _still(domain: Domain, numbers: Mapping[Path, int]) -> set[Path]:
    """Keys that nothing follows, of those that nothing is seen of: they are moved together.

    These are keys that the code neither computes with nor compares, and that are no axis.
    """
    used = frozenset().union(*map(keys_in, domain.recorded.used()))
    axes = {axis for tensor in domain.first.values() for axis in tensor.shape}
    moved = {p: next(moves(v)) for p, v in numbers.items()
             if p not in used and not DEPTH.search(word(p))}
    apart = {p: v for p, v in moved.items() if numbers[p] not in axes}
    still = apart.keys() - {p for p, _ in _disturbing(domain, domain.base, domain.first, apart)}
    for _, paths in groupby((p for p in moved if p not in apart), lambda p: p[:-1]):
        some = {p: moved[p] for p in paths}
        if len(some) > 1 and domain.prober.table({**domain.base, **some}) == domain.first:
            still |= some.keys()
    return still


def elsewhere(domain: Domain) -> None:
    """Keys that nothing follows at the base, moved where other keys are moved too.

    Of ``heads * (d // heads)`` nothing shows where heads divide the width.
    """
    still = {p: domain.base[p] for p in domain.of_kind("inert") if p in domain.numbers()}
    if not still or not domain.of_kind("size"):
        return
    moved = {p: 2 * v + 1 for p, v in still.items()}
    for style in STYLES[:2]:
        values, table = domain.point(style)
        for path, there in _disturbing(domain, values, table, moved):
            if there is None:
                del moved[path]
            elif signature(there) == domain.signature:
                domain.kinds[path] = "size"


def _disturbing(domain: Domain, values: Values, table: Table, moved: Values
                ) -> list[tuple[Path, Table | None]]:
    """Those of some keys that, moved alone from a point, bring something else, with what it is.

    They are moved together first, and halved until one is left.
    """
    found: list[tuple[Path, Table | None]] = []
    waiting = [list(moved)] if moved else []
    while waiting:
        keys = waiting.pop()
        there = domain.prober.table({**values, **{p: moved[p] for p in keys}})
        if there == table:
            continue
        if len(keys) > 1:
            half = len(keys) // 2
            waiting += [keys[half:], keys[:half]]
        else:
            found.append((keys[0], there))
    return found


def deepen(domain: Domain) -> None:
    """Keys that nothing follows where there are few layers, moved where there are more.

    With two layers, every second is every third; such keys are of structure.
    """
    depths = domain.of_kind("structure")
    still = [p for p in domain.of_kind("inert") if p in domain.numbers()
             and domain.base[p] <= SMALL]
    if not depths or not still:
        return
    deep, before = _deep(domain, depths)
    for path, table in _disturbing(domain, deep, before, {p: domain.base[p] + 1 for p in still}):
        if table is not None:
            domain.kinds[path] = "structure" if signature(table) != signature(before) else "size"


def beside(domain: Domain) -> None:
    """Keys that are refused wherever they are moved alone, moved where layers are counted
    otherwise: an offset is below a period."""
    depths = domain.of_kind("structure")
    stuck = [p for p in domain.of_kind("size") if domain.base[p] <= SMALL and all(
        domain.prober.table({**domain.base, p: new}) is None for new in moves(domain.base[p]))]
    more = {p: 2 * domain.base[p] + 3 for p in depths}
    for path in stuck:
        for moved in (more, *({p: n} for p, n in more.items())):
            values = {**domain.base, **moved}
            there, new = (domain.prober.table(each) for each in (
                values, {**values, path: domain.base[path] + 1}))
            if there is not None and new is not None and signature(there) != signature(new):
                domain.kinds[path] = "structure"
                break


def _deep(domain: Domain, depths: Sequence[Path]) -> tuple[Values, Table]:
    """The base with as many layers as it takes to tell periods apart."""
    values, table = dict(domain.base), domain.first
    for path in depths:
        deeper = {**values, path: 2 * values[path] + 3}
        found = domain.prober.table(deeper)
        if found is not None and len(found) > len(table):
            values, table = deeper, found
    return values, table


def keep_still(domain: Domain, points: Iterable[tuple[Values, Table]]) -> set[Path]:
    """Move all keys that nothing followed at further points; one that something follows is held.

    What follows the logarithm of a key, or only its larger values, does not show in one step:
    where other tensors come only beyond some number, the key keeps to where they do not.

    Returns: those that are held since shapes follow them, and nothing else.
    """
    kept: set[Path] = set()
    sizes: dict[Path, bool] = {}
    for values, table in points:
        still = {p: domain.base[p] for p in domain.of_kind("inert") if p in domain.numbers()}
        for moved in (fresh(domain.rng, still), {p: 2 * v for p, v in still.items()},
                      {p: max(1, v // 2) for p, v in still.items()}):
            if domain.prober.table({**values, **moved}) == table:
                continue
            for path, new in moved.items():
                alone = domain.prober.table({**values, path: new})
                if alone is None or alone == table or path in kept:
                    continue
                if signature(alone) != signature(table) and between(domain, path):
                    kept.add(path)
                else:
                    domain.kinds[path] = "held"
                    sizes[path] = signature(alone) == signature(table)
    return {path for path, alike in sizes.items() if alike}


def idle(domain: Domain) -> frozenset[Path]:
    """The switches that, turned alone, change nothing."""
    found = set()
    for path, value in domain.prober.target.switches.items():
        if isinstance(value, bool) and domain.prober.table(
                {**domain.base, path: not value}) == domain.first:
            found.add(path)
    return frozenset(found)


def _followed(domain: Domain, paths: Sequence[Path]) -> set[Path]:
    """Of numbers that are no counts (0, -1, fractions): those that something follows.

    They are moved together, each by a factor of its own, so that no ratio of two stays.
    """
    factors = {p: 2 - .05 * (place % 7) for place, p in enumerate(paths)}
    base = {p: domain.base[p] for p in paths}
    tries = ({p: v * factors[p] if isinstance(v, float) and v else v + 1 for p, v in base.items()},
             {p: v + factors[p] - 1 if isinstance(v, float) else 16 for p, v in base.items()})
    found: set[Path] = set()
    for moved in tries:
        for path, table in _disturbing(domain, domain.base, domain.first, moved):
            if table is not None:
                found.add(path)
                if signature(table) != domain.signature:
                    domain.note(path, {**domain.base, path: moved[path]})
    return found


def _alone(domain: Domain, path: Path) -> KeyKind:
    """The kind of a count or a width.

    A width may meet another one where it is moved, and bring other tensors by that alone.
    """
    structure = False
    for new in moves(domain.base[path]):
        values = {**domain.base, path: new}
        table = domain.prober.table(values)
        if table is None:
            continue
        if signature(table) != domain.signature:
            if counts_differ(domain.first, table):
                structure = True
                if domain.base[path] > SMALL:
                    continue
                break
            domain.note(path, values)
            continue  # the tensors of another case: relations have to be kept
        return "size" if table != domain.first else "inert"
    if structure:
        return "structure"
    return "size"  # it may move together with others; where it never does, the audit says so
