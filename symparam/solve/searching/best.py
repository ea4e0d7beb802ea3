"""The few best of a great many points, kept while they are found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import TypeAlias

import numpy as np

from symparam.dataclass import dataclass
from symparam.points.table import Ints, PointTable, column

#: A point, and what it is ordered by.
Hit: TypeAlias = dict[str, int]

#: How dims are written, and points ordered where nothing else tells them apart.
WRITTEN = ("V", "L", "d_model", "n_heads", "n_kv", "d_head", "d_ff", "n_ctx")


def in_order(dims: Sequence[str]) -> list[str]:
    """Dims as they are written: the usual ones first.

    >>> in_order(["d_ff", "top_k", "L"])
    ['L', 'd_ff', 'top_k']
    """
    return [n for n in WRITTEN if n in dims] + [n for n in dims if n not in WRITTEN]


@dataclass
class Best:
    """The best points so far.

    Attributes:
        limit: how many are kept.
        keys: what points are ordered by, the smaller the better, the first key first.
    """

    limit: int
    keys: Callable[[PointTable], Sequence[Ints]]
    _kept: dict[tuple[int, ...], tuple[tuple[int, ...], Hit]] = field(default_factory=dict)
    _worst: int | None = None

    def add(self, table: PointTable) -> None:
        """Take the points of a table into account."""
        if not table.rows:
            return
        keys = [column(key, table.rows) for key in self.keys(table)]
        if self._worst is not None and keys:
            keep = np.asarray(keys[0] <= self._worst, dtype=bool)
            table, keys = table.take(keep), [key[keep] for key in keys]
        names = in_order([*table.numbers, *table.columns])
        dims = [column(table[name], table.rows) for name in names]
        for row in _first([*keys, *dims], self.limit):
            point = tuple(int(values[row]) for values in dims)
            order = tuple(int(key[row]) for key in keys)
            self._kept[point] = (order, dict(zip(names, point, strict=True)))
        if len(self._kept) > self.limit:
            self._kept = dict(sorted(self._kept.items(), key=_order)[:self.limit])
        if len(self._kept) == self.limit and keys:
            self._worst = max(order[0] for order, _ in self._kept.values())

    def hits(self) -> list[Hit]:
        """The points, best first."""
        return [hit for _, (_, hit) in sorted(self._kept.items(), key=_order)]


def _order(item: tuple[tuple[int, ...], tuple[tuple[int, ...], Hit]],
           ) -> tuple[tuple[int, ...], tuple[int, ...]]:
    point, (order, _) = item
    return order, point


def _first(columns: Sequence[Ints], limit: int) -> Sequence[int]:
    """The rows that come first when ordered by columns, the first column first."""
    if not len(columns[0]):
        return []
    if any(values.dtype == object for values in columns):
        every = range(len(columns[0]))
        return sorted(every, key=lambda row: tuple(values[row] for values in columns))[:limit]
    rows = np.arange(len(columns[0]))
    if len(rows) > 2 * limit:  # those that the first column leaves in the running
        rows = np.flatnonzero(columns[0] <= np.partition(columns[0], limit - 1)[limit - 1])
    order = np.lexsort(tuple(values[rows] for values in reversed(columns)))
    return [int(row) for row in rows[order[:limit]]]
