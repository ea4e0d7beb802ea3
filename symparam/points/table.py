"""Many points of a lattice at once: columns of whole numbers, exact.

Every dim fits 64 bits (none is above 10^12). What is worked out from dims may not: it is then
worked out on Python's integers, in arrays of objects, with the same operators.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from symparam import expression as ex
from symparam.arithmetic import MAX_BITS, Rounding
from symparam.dataclass import dataclass
from symparam.errors import the
from symparam.grammar import Rule
from symparam.points.axes import Axis, Follows, Listed, Span, rule_value
from symparam.resolve import MAX_DIM

#: Rows that are held at a time.
CHUNK = 1 << 16

#: Whole numbers up to here are worked out on 64 bits.
SAFE = 1 << 61

#: An array of whole numbers: of 64 bits, or Python's own.
Ints: TypeAlias = Any


@dataclass(frozen=True)
class PointTable(Mapping[str, Any]):
    """Rows of points; a dim is a number that all share, or a column.

    Attributes:
        numbers: what all rows share.
        columns: the other dims.
        rows: how many.
    """

    numbers: Mapping[str, int]
    columns: Mapping[str, Ints]
    rows: int

    def __getitem__(self, dim: str) -> Any:
        return self.columns[dim] if dim in self.columns else self.numbers[dim]

    def __iter__(self) -> Iterator[str]:
        yield from self.numbers
        yield from self.columns

    def __len__(self) -> int:
        return len(self.numbers) + len(self.columns)

    def take(self, rows: Ints) -> PointTable:
        """Some of the rows, by number or by a mask."""
        columns = {dim: column[rows] for dim, column in self.columns.items()}
        count = int(rows.sum()) if rows.dtype == bool else len(rows)
        return PointTable(self.numbers, columns, count)

    def adding(self, dim: str, column: Ints) -> PointTable:
        """With one column more."""
        return PointTable(self.numbers, {**self.columns, dim: column}, self.rows)

    def most(self, dim: str) -> int:
        """The largest value of a dim."""
        column = self[dim]
        return int(column.max()) if isinstance(column, np.ndarray) else int(column)

    def dims(self, row: int) -> dict[str, int]:
        """One point."""
        return {**self.numbers, **{dim: int(c[row]) for dim, c in self.columns.items()}}


def column(value: Any, rows: int) -> Ints:
    """A number as a column; a column as it is."""
    if isinstance(value, np.ndarray) and value.shape == (rows,):
        return value
    return np.broadcast_to(np.asarray(value), rows)


def table_of(numbers: Mapping[str, int]) -> PointTable:
    """The one point that fixed numbers are."""
    return PointTable(dict(numbers), {}, 1)


@dataclass(frozen=True)
class Runs:
    """For each row the values of an axis: ``count`` of them, from ``first`` in steps.

    Attributes:
        first: the first value, over the step.
        count: how many.
        step: the step.
    """

    first: Ints
    count: Ints
    step: int

    @property
    def total(self) -> int:
        """All values of all rows."""
        return int(self.count.astype(object).sum()) if len(self.count) else 0

    def end(self, last: bool) -> Ints:
        """The first value of each row, or the last."""
        return (self.first + (self.count - 1 if last else 0)) * self.step


def runs(axis: Span, table: PointTable) -> Runs:
    """The values of a span at every row."""
    step = axis.step
    first, last = (np.full(table.rows, end) for end in axis.ends)
    for ratio in axis.ratios:
        other = column(table[ratio.other(axis.dim)], table.rows)
        low, high = ratio.around(axis.dim)
        if int(other.max(initial=0)) * max(low.numerator, high.numerator) > SAFE:
            other = other.astype(object)
        reached = ratio.reach(axis.dim, other, step, max(ratio.steps, default=0))
        first, last = np.maximum(first, reached[0]), np.minimum(last, reached[1])
    last = np.maximum(last, first - 1)
    return Runs(_small(first), _small(last - first + 1), step)


def _small(column: Ints) -> Ints:
    return column.astype(np.int64)


def in_chunks(table: PointTable, dim: str, found: Runs) -> Iterator[PointTable]:
    """The rows with each of their values, in pieces of bounded length."""
    ends = np.cumsum(found.count)
    total = int(ends[-1]) if len(ends) else 0
    for start in range(0, total, CHUNK):
        place = np.arange(start, min(start + CHUNK, total))
        row = np.searchsorted(ends, place, side="right")
        value = (found.first[row] + place - (ends[row] - found.count[row])) * found.step
        yield table.take(row).adding(dim, value)


def expanded(table: PointTable, axis: Axis) -> Iterator[PointTable]:
    """The rows with each value of an axis, in pieces of bounded length."""
    if isinstance(axis, Span):
        yield from in_chunks(table, axis.dim, runs(axis, table))
    elif isinstance(axis, Follows):
        column, keep = follow(axis.rule, table, axis.least)
        yield table.adding(axis.dim, column).take(keep)
    elif isinstance(axis, Listed):
        yield from _listed(table, axis)
    else:
        yield from _each(table, axis.dim, _values(table, axis))


def _listed(table: PointTable, axis: Listed) -> Iterator[PointTable]:
    values = np.array(axis.numbers, dtype=np.int64)
    for start in range(0, table.rows * len(values), CHUNK):
        place = np.arange(start, min(start + CHUNK, table.rows * len(values)))
        yield table.take(place // len(values)).adding(axis.dim, values[place % len(values)])


def _values(table: PointTable, axis: Axis) -> list[Any]:
    """The values of any axis at each row, worked out once for each that differ in its needs."""
    needs = sorted(axis.needs)
    cache: dict[tuple[int, ...], Any] = {}
    found = []
    for row in range(table.rows):
        key = tuple(int(v[row]) if isinstance(v := table[n], np.ndarray) else v for n in needs)
        if key not in cache:
            cache[key] = axis.values(dict(zip(needs, key, strict=True)))
        found.append(cache[key])
    return found


def _each(table: PointTable, dim: str, values: list[Any]) -> Iterator[PointTable]:
    counts = np.array([len(v) for v in values], dtype=np.int64)
    flat = np.array([x for v in values for x in v], dtype=np.int64)
    row = np.repeat(np.arange(table.rows), counts)
    for start in range(0, len(row), CHUNK):
        here = slice(start, start + CHUNK)
        yield table.take(row[here]).adding(dim, flat[here])


def follow(rule: Rule, table: PointTable, least: int = 1) -> tuple[Ints, Ints]:
    """What a rule gives at every row, and where that is a whole number that a dim may be."""
    if not _plain(rule.expr):
        return _rule_by_rule(rule, table, least)
    names = ex.symbols_in(rule.expr)
    bits = max(_bits(rule.expr, {n: table.most(n).bit_length() for n in names}))
    if bits > MAX_BITS:
        return _rule_by_rule(rule, table, least)
    step = rule.rounding.multiple if rule.rounding else 1
    wide = bits + 2 + step.bit_length() > SAFE.bit_length()
    columns = {n: _wide(table[n]) if wide else table[n] for n in names}
    top, bottom = _fraction(rule.expr, columns)
    top, bottom = (column(v, table.rows) for v in (top, bottom))
    sign = np.where(bottom < 0, -1, 1)
    top, bottom = top * sign, bottom * sign
    keep = (bottom > 0) & (top >= 0)
    bottom = np.where(keep, bottom, 1)
    if rule.rounding:
        top, bottom = _rounded(rule, top, bottom), 1
    keep = keep & (top % bottom == 0)
    value = top // bottom
    keep = keep & (value >= least) & (value <= MAX_DIM)
    return _small(np.where(keep, value, 1)), keep.astype(bool)


def _wide(value: Any) -> Any:
    return value.astype(object) if isinstance(value, np.ndarray) else value


def _rounded(rule: Rule, top: Ints, bottom: Ints) -> Ints:
    rounding = the(Rounding, rule.rounding)
    m = rounding.multiple
    if rounding.mode == "up":
        return -(-top // (bottom * m)) * m
    if rounding.mode == "nearest":
        return (2 * top + m * bottom) // (2 * m * bottom) * m
    return top // (bottom * m) * m


def _plain(expr: ex.Expr) -> bool:
    """Whether there is neither a root nor a rounding nor the larger of two inside."""
    return not any(isinstance(e, (ex.Whole, ex.Extreme, ex.Procedure)) or (
        isinstance(e, ex.Power) and not isinstance(e.exponent, int)) for e in ex.walk(expr))


def _bits(expr: ex.Expr, sizes: Mapping[str, int]) -> tuple[int, int]:
    """How many bits numerator and denominator of an expression have at most, without working
    either out.

    >>> a, b = ex.Sym("a"), ex.Sym("b")
    >>> _bits(a + b, {"a": 3, "b": 5}), _bits(a / 4 + b, {"a": 3, "b": 5})
    ((8, 3), (11, 6))
    """
    match expr:
        case ex.Num(value):
            value = Fraction(value)
            return value.numerator.bit_length(), value.denominator.bit_length()
        case ex.Sym(name):
            return sizes[name], 1
        case ex.Sum(terms):
            top, bottom = 0, 1
            for a, b in (_bits(term, sizes) for term in terms):
                top, bottom = max(top + b, a + bottom) + 1, bottom + b
            return top, bottom
        case ex.Product(factors):
            parts = [_bits(factor, sizes) for factor in factors]
            return sum(a for a, _ in parts), sum(b for _, b in parts)
        case ex.Quotient(over, under):
            (a, b), (c, d) = _bits(over, sizes), _bits(under, sizes)
            return a + d, b + c
        case ex.Power(base, int(exponent)):
            a, b = (abs(exponent) * side for side in _bits(base, sizes))
            return (a, b) if exponent >= 0 else (b, a)
    raise TypeError(expr)


def _fraction(expr: ex.Expr, dims: Mapping[str, Any]) -> tuple[Any, Any]:
    """An expression as one fraction."""
    match expr:
        case ex.Num(value):
            value = Fraction(value)
            return value.numerator, value.denominator
        case ex.Sym(name):
            return dims[name], 1
        case ex.Sum(terms):
            top, bottom = 0, 1
            for term in terms:
                a, b = _fraction(term, dims)
                top, bottom = top * b + a * bottom, bottom * b
            return top, bottom
        case ex.Product(factors):
            top, bottom = 1, 1
            for factor in factors:
                a, b = _fraction(factor, dims)
                top, bottom = top * a, bottom * b
            return top, bottom
        case ex.Quotient(over, under):
            (a, b), (c, d) = _fraction(over, dims), _fraction(under, dims)
            return a * d, b * c
        case ex.Power(base, int(exponent)):
            a, b = _fraction(base, dims)
            return (a**exponent, b**exponent) if exponent >= 0 else (b**-exponent, a**-exponent)
    raise TypeError(expr)


def _rule_by_rule(rule: Rule, table: PointTable, least: int) -> tuple[Ints, Ints]:
    """A rule with a root or a rounding inside, or with numbers that swell, row by row."""
    axis = Follows("", rule, least)
    found = _values(table, axis)
    keep = np.array([len(v) == 1 for v in found], dtype=bool)
    return np.array([v[0] if len(v) else 1 for v in found], dtype=np.int64), keep


__all__ = [
    "CHUNK",
    "SAFE",
    "Ints",
    "PointTable",
    "Runs",
    "column",
    "expanded",
    "follow",
    "in_chunks",
    "rule_value",
    "runs",
    "table_of",
]
