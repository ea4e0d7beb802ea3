"""What moving a key does: shapes follow it, tensors follow it, nothing does, or it is refused."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from symparam.traced.records import KeyKind
from symparam.tracing.recording.terms import Path, keys_in
from symparam.tracing.searching.domain import Domain, Values
from symparam.tracing.searching.draws import SMALL, STYLES, fresh
from symparam.tracing.searching.intervals import between
from symparam.tracing.searching.probing import Prober
from symparam.tracing.searching.tables import Table, pattern_of, signature

#: What counts layers, by its name: where a trace may begin shallow.
DEPTH = re.compile(r"(num|n|encoder|decoder).*(layers?|blocks|depth)$|^depths?$|^n_layer$"
                   r"|num_stages$|^n_?layers?$|^layers$|repeats?$|^num_blocks")

#: Numbers of layers that are tried to begin with.
DEPTHS = (2, 3, 4, 5, 6, 8, 12)


def kinds_of_rows(table: Table) -> frozenset[tuple[str, int, str]]:
    """Patterns with their rank and status: what a shallow base has to show."""
    return frozenset((pattern_of(n), len(t.shape), t.status) for n, t in table.items())


def shapes_of_rows(table: Table) -> frozenset[tuple[str, tuple[int, ...], str]]:
    """Patterns with their shapes and status."""
    return frozenset((pattern_of(n), t.shape, t.status) for n, t in table.items())


def shallow(prober: Prober, base: Mapping[Path, Any], full: Table,
            movable: Container[Path]) -> tuple[dict[Path, Any], Table]:
    """The least depth that shows every kind of tensor that the target's own depth has.

    Every shape too, where a depth does: of layers some may be wider.
    """
    deep = [p for p, v in base.items()
            if p in movable and type(v) is int and v > 2 and DEPTH.search(_word(p))]
    tried = [{**base, **{p: min(base[p], depth) for p in deep}} for depth in DEPTHS if deep]
    for kinds in (shapes_of_rows, kinds_of_rows):
        for values in tried:
            table = prober.table(values) if values != base else None
            if table is not None and kinds(table) == kinds(full):
                return values, table
    return dict(base), full


def richer(domain: Domain) -> tuple[Values, Table] | None:
    """The base with a key of structure at a number with which there are more kinds of tensors.

    Where every layer has experts, dense ones show only where a key says that every second has.
    """
    for path in domain.of_kind("structure"):
        for new in _moves(domain.base[path]):
            values = {**domain.base, path: new}
            table = domain.prober.table(values)
            if table is not None and kinds_of_rows(table) > kinds_of_rows(domain.first):
                return values, table
    return None


def _word(path: Path) -> str:
    """The last word of a path, a list's name for its elements."""
    return str(next(part for part in reversed(path) if isinstance(part, str)))


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
    moved = {p: next(_moves(v)) for p, v in numbers.items()
             if p not in used and not DEPTH.search(_word(p))}
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
        domain.prober.table({**domain.base, p: new}) is None for new in _moves(domain.base[p]))]
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


def lifted(domain: Domain) -> tuple[Values, Table] | None:
    """The base with 1 for each key at 0 that is a size or a number of layers; None without any.

    A key that brings tensors of other kinds alone is none of these, nor one with which there are
    as many at 2 as at 1: at 0 there is another case.
    """
    moved = {p: 1 for p in domain.of_kind("held") if type(domain.base[p]) is int
             and domain.base[p] == 0 and p not in domain.held}
    tables = {p: domain.prober.table({**domain.base, p: 1}) for p in moved}
    found = {p: 1 for p, table in tables.items() if table is not None and table != domain.first
             and (signature(table) == domain.signature or (
                 counts_differ(domain.first, table) and not same_from_1(domain, p)))}
    values = {**domain.base, **found}
    table = domain.prober.table(values) if found else None
    return None if table is None else (values, table)


def same_from_1(domain: Domain, path: Path) -> bool:
    """Whether a key at 0 brings the same tensors at 1, 2 and 3."""
    tables = [domain.prober.table({**domain.base, path: n}) for n in (1, 2, 3)]
    signatures = {None if table is None else signature(table) for table in tables}
    return len(signatures) == 1 and signatures.isdisjoint({None, domain.signature})


def _moves(value: int) -> Iterator[int]:
    tried = (value + 1, 2 * value, 3 * value, value - 1, value // 2) if value <= SMALL else (
        2 * value, 3 * value, value + 1, value // 2)
    return (new for new in dict.fromkeys(tried) if 0 < new != value)


def _alone(domain: Domain, path: Path) -> KeyKind:
    """The kind of a count or a width.

    A width may meet another one where it is moved, and bring other tensors by that alone.
    """
    structure = False
    for new in _moves(domain.base[path]):
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


def counts_differ(one: Table, other: Table) -> bool:
    """Whether a pattern that both tables have has more copies in one of them."""
    mine, theirs = (Counter(map(pattern_of, t)) for t in (one, other))
    return any(mine[p] != theirs[p] for p in mine.keys() & theirs.keys())
