"""Keys that say how many elements of lists are read: they are as many as the lists have.

Each element of a list is a key of its own, and their number does not move. So a key that counts
stages, whose widths and depths are in lists, is at their number: beyond it the target finds no
element, and below it the last ones are not read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from symparam.tracing.recording.terms import Path
from symparam.tracing.searching.probing import Prober
from symparam.tracing.searching.tables import Table


def list_lengths(prober: Prober, base: Mapping[Path, Any], full: Table,
                 held: Collection[Path]) -> frozenset[Path]:
    """The keys that are as many as lists have elements, by what comes with one more and one fewer.

    Args:
        prober: builds the target.
        base: where the trace begins.
        full: the tensors there.
        held: keys that are not moved.
    """
    lists = Counter(path[:-1] for path in base if path and type(path[-1]) is int)
    lengths = {length for length in lists.values() if length > 1}
    return frozenset(path for path, n in base.items() if type(n) is int and n in lengths
                     and path not in held and type(path[-1]) is str and _counts(
                         prober, base, full, path, [p for p, m in lists.items() if m == n]))


def _counts(prober: Prober, base: Mapping[Path, Any], full: Table, path: Path,
            lists: Collection[Path]) -> bool:
    """Whether one more is refused, and one fewer leaves out what a last element says."""
    n = base[path]
    fewer = {**base, path: n - 1}
    table = prober.table(fewer)
    if prober.table({**base, path: n + 1}) is not None or table is None or (
            full.keys() <= table.keys()):
        return False
    return any(_otherwise(prober, base, full, p) is True
               and _otherwise(prober, fewer, table, p) is False for p in _last(base, lists, n))


def _last(base: Mapping[Path, Any], lists: Collection[Path], n: int) -> Iterator[Path]:
    """The last element of each list that is a number above 0."""
    for each in lists:
        if type(base.get((*each, n - 1))) is int and base[(*each, n - 1)] > 0:
            yield (*each, n - 1)


def _otherwise(prober: Prober, values: Mapping[Path, Any], table: Table, path: Path
               ) -> bool | None:
    """Whether other tensors come with a key's double; None where that is refused."""
    found = prober.table({**values, path: 2 * values[path]})
    return None if found is None else found != table
