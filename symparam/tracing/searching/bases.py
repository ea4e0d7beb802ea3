"""Where a search begins: as few layers as show every kind of tensor, and what shows elsewhere."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping
from typing import Any

from symparam.tracing.recording.terms import Path
from symparam.tracing.searching.domain import Domain, Values
from symparam.tracing.searching.draws import SMALL
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
            if p in movable and type(v) is int and v > 2 and DEPTH.search(word(p))]
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
        for new in moves(domain.base[path]):
            values = {**domain.base, path: new}
            table = domain.prober.table(values)
            if table is not None and kinds_of_rows(table) > kinds_of_rows(domain.first):
                return values, table
    return None


def word(path: Path) -> str:
    """The last word of a path, a list's name for its elements."""
    return str(next(part for part in reversed(path) if isinstance(part, str)))


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
                 counts_differ(domain.first, table) and not another_case(domain, p)))}
    values = {**domain.base, **found}
    table = domain.prober.table(values) if found else None
    return None if table is None else (values, table)


def another_case(domain: Domain, path: Path) -> bool:
    """Whether a key brings other tensors with the next number, and the same with the two beyond."""
    numbers = [domain.base[path] + more for more in (1, 2, 3)]
    tables = [domain.prober.table({**domain.base, path: n}) for n in numbers]
    signatures = {None if table is None else signature(table) for table in tables}
    return len(signatures) == 1 and signatures.isdisjoint({None, domain.signature})


def moves(value: int) -> Iterator[int]:
    """Numbers that a key is moved to, to see what follows it."""
    tried = (value + 1, 2 * value, 3 * value, value - 1, value // 2) if value <= SMALL else (
        2 * value, 3 * value, value + 1, value // 2)
    return (new for new in dict.fromkeys(tried) if 0 < new != value)


def counts_differ(one: Table, other: Table) -> bool:
    """Whether a pattern that both tables have has more copies in one of them."""
    mine, theirs = (Counter(map(pattern_of, t)) for t in (one, other))
    return any(mine[p] != theirs[p] for p in mine.keys() & theirs.keys())
