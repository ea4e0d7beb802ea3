"""What was found, written as records: terms become expressions over dims."""

from __future__ import annotations

import platform
import random
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from symparam import expression as ex
from symparam.stack import Order
from symparam.traced.names import dim_name
from symparam.traced.orders import told
from symparam.traced.records import NO_ORDER, TracedRow
from symparam.tracing.recording.terms import Path, Term, evaluate, keys_in, whole_value
from symparam.tracing.rules.expressions import expression, holds
from symparam.tracing.searching.rows import UNKNOWN, FoundRow
from symparam.tracing.searching.tables import Table


def dim_names(paths: Iterable[Path]) -> dict[Path, str]:
    """A dim for each key: a known name where there is one, else the key's own."""
    found: dict[Path, str] = {}
    for path in paths:
        found[path] = dim_name(path, found.values())
    return found


class Writing:
    """Terms as expressions over dims, held keys as the numbers that they are held at."""

    def __init__(self, names: Mapping[Path, str], constant: Mapping[Path, Any],
                 divided: Iterable[tuple[Term, Term]] = (),
                 points: Iterable[Mapping[Path, Any]] = ()) -> None:
        self.names, self.constant = names, constant
        self.divided, self.points = frozenset(divided), list(points)
        self._agreed: dict[Term, bool] = {}

    def expression(self, term: Term) -> ex.Expr | None:
        """The expression; None where there is none, or it has another value at some point."""
        found = expression(term, self._symbol, self._divides)
        return found if found is not None and self._agrees(term, found) else None

    def stated(self, term: Term) -> ex.Expr | None:
        """The expression of what is to be checked: no division is taken to be exact in it."""
        return expression(term, self._symbol)

    def _symbol(self, path: Path) -> ex.Expr | None:
        if path in self.constant:
            value = self.constant[path]
            return expression(("n", value), lambda _: None) if isinstance(
                value, (int, float)) else None
        return ex.Sym(self.names[path])

    def _divides(self, top: Term, bottom: Term) -> bool:
        return (top, bottom) in self.divided

    def _agrees(self, term: Term, found: ex.Expr) -> bool:
        """Whether what is written has the term's value wherever something was built."""
        if term not in self._agreed:
            keys = keys_in(term)
            self._agreed[term] = all(
                (expected := whole_value(term, values)) is None or holds(
                    found, {self.names[p]: values[p] for p in keys}, expected)
                for values in (*self.points, *self._further(term)))
        return self._agreed[term]

    def _further(self, term: Term) -> Iterator[Mapping[Path, Any]]:
        """Numbers at which a term of floats may come out beside what is written; none is built.

        Where a division is asserted to be exact, such at which it is.
        """
        paths = sorted((p for p in keys_in(term) if p not in self.constant), key=str)
        if not paths or not _of_floats(term):
            return
        rng, asserted = random.Random(str(term)), [
            ("%", *pair) for pair in self.divided if keys_in(pair[0]) | keys_in(pair[1])
            <= keys_in(term)]
        for start in self.points[:2]:
            for path in paths:
                for number in (*range(1, 500), *range(500, 60_000, 100), *(
                        rng.randint(1, 10**6) for _ in range(200))):
                    values = {**start, path: number}
                    if all(whole_value(rest, values) == 0 for rest in asserted):
                        yield values


def _of_floats(term: Term) -> bool:
    """Whether anything in it is worked out in floats."""
    if term[0] == "n":
        return isinstance(term[1], float)
    return term[0] != "k" and (term[0] == "/" or any(map(_of_floats, term[1:])))


def write_rows(rows: Iterable[FoundRow], writing: Writing, base: Table,
               values: Mapping[Path, Any]) -> tuple[list[TracedRow], dict[int, list[int]]]:
    """Rows as records, and the axes of each that are left as numbers.

    Args:
        rows: what was found.
        writing: how terms are written.
        base: the tensors where the trace began: ties are read there.
        values: where that was.
    """
    rows = list(rows)
    owner: dict[str, FoundRow] = {}
    for row in rows:
        for name in _names_at(row, values, base):
            owner[name] = row
    made: list[TracedRow] = []
    numbers: dict[int, list[int]] = {}
    for place, row in enumerate(rows):
        shape = [writing.expression(term) for term in row.unit.shape]
        left = [axis for axis, expr in enumerate(shape) if expr is None]
        if left:
            numbers[place] = left
        whole = tuple(expr if expr is not None else ex.Num(_value(term, values))
                      for expr, term in zip(shape, row.unit.shape, strict=True))
        made.append(TracedRow(row.copies.pattern, whole, _copies(row, writing, values),
                        row.unit.status, _tied(row, owner, values, base), row.unit.module,
                        _numbers(row, writing), row.unit.role))
    return made, numbers


def _value(term: Term, values: Mapping[Path, Any]) -> int:
    """The value of a dim at the base."""
    return int(term[1][1]) if term[0] == UNKNOWN else int(evaluate(term, values))


def _copies(row: FoundRow, writing: Writing, values: Mapping[Path, Any]) -> tuple[ex.Expr, ...]:
    return tuple(writing.expression(f) or ex.Num(_value(f, values)) for f in row.copies.factors)


def _names_at(row: FoundRow, values: Mapping[Path, Any], base: Table) -> list[str]:
    names = row.names(values)
    if names is None:
        return []
    return [name for name in names if name in base]


def _tied(row: FoundRow, owner: Mapping[str, FoundRow], values: Mapping[Path, Any],
          base: Table) -> str | None:
    """The pattern of the row whose numbers a row shares."""
    if row.unit.tied_to is None:
        return None
    for name in _names_at(row, values, base):
        first = base[name].tied_to
        if first is not None and first in owner:
            return owner[first].copies.pattern
    return row.unit.tied_to


def _numbers(row: FoundRow, writing: Writing) -> str:
    """Which numbers the first star takes, in words; empty where all from 0."""
    order = row.copies.numbers
    if order is None:
        return NO_ORDER
    start, step = writing.expression(order.start), writing.expression(order.step)
    if start is None or step is None:
        return NO_ORDER
    return told(Order(start, step, order.others))


def versions(packages: Iterable[str]) -> dict[str, str]:
    """The versions of packages that were used, and of Python."""
    found = {"python": platform.python_version()}
    for package in packages:
        version = getattr(sys.modules.get(package), "__version__", None)
        if version is not None:
            found[package] = str(version)
    return found


