"""A sweep as a table, and as JSON; both for grids that somebody reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from symparam import expression as ex
from symparam.documents.common.foundation import resting, resting_data
from symparam.documents.common.view import View
from symparam.errors import BadValue
from symparam.notation.notation import PRESETS, Notation
from symparam.notation.numbers import exact_number, grouped, several
from symparam.sweep.sweep import WHY, Column, Sweep
from symparam.writers.document import (
    Block,
    Cell,
    Code,
    Document,
    Heading,
    Items,
    Math,
    Rules,
    Settings,
    Table,
    spans,
)
from symparam.writers.document import Column as TableColumn

#: Points of a table, and of one JSON object.
READABLE, AT_ONCE = 1_000, 100_000

_NAMES = {"B": "bytes", "FLOP": "FLOPs"}

#: Rows of a grid, a cell for each column.
Rows = Sequence[tuple[Any, ...]]


class SweepView(View):
    """A sweep that somebody reads: a table, and data; larger ones are written as they are made.

    Attributes:
        rows: how many rows the answer had when it was written last.
    """

    def __init__(self, sweep: Sweep, notation: Notation = PRESETS["paper"]) -> None:
        self.sweep, self.notation, self.rows = sweep, notation, 0

    def document(self) -> Document:
        """The answer as a table.

        Raises:
            BadValue: there are too many points.
        """
        rows, skipped = self._rows(READABLE, "write it with -o FILE.csv, .jsonl or .parquet, or "
                                   "--format csv")
        return sweep_document(self.sweep, rows, skipped)

    def json(self) -> dict[str, Any]:
        """The answer as data.

        Raises:
            BadValue: there are too many points.
        """
        return sweep_json(self.sweep, *self._rows(AT_ONCE, "use --format jsonl"))

    def _rows(self, most: int, instead: str) -> tuple[list[tuple[Any, ...]], dict[str, int]]:
        """All rows of a small grid, and what was left out."""
        if self.sweep.grid.points > most:
            raise BadValue("the grid", several(self.sweep.grid.points, "point"),
                           f"is too large for this format ({most:,}): {instead}")
        rows: list[tuple[Any, ...]] = []
        skipped: dict[str, int] = {}
        for block in self.sweep.blocks():
            rows += zip(*(array.tolist() for array in block.columns), strict=True)
            for why, count in block.skipped.items():
                skipped[why] = skipped.get(why, 0) + count
        self.rows = len(rows)
        return rows, skipped


def sweep_json(sweep: Sweep, rows: Rows, skipped: Mapping[str, int]) -> dict[str, Any]:
    """The answer as data: integers exact, a fraction as the text ``"3/2"``."""
    return {"model": sweep.model.name,
            "axes": {name: [*map(int, values)] for name, values in sweep.grid.values.items()},
            "fixed": dict(sweep.dims.fixed), "assumed": {
                name: each.dim or str(each.value) for name, each in sweep.assumed.items()},
            "rules": {name: str(eq) for name, eq in sweep.dims.rules.items()},
            "columns": [{"name": c.name, "kind": c.kind, "unit": c.unit or None,
                         "convention": c.convention or None} for c in sweep.columns],
            "points": sweep.grid.points, "skipped": dict(skipped),
            "rows": [[str(cell) if isinstance(cell, Fraction) else cell for cell in row]
                     for row in rows], **resting_data(sweep.model)}


def sweep_document(sweep: Sweep, rows: Rows, skipped: Mapping[str, int]) -> Document:
    """The answer as a table."""
    columns = tuple(TableColumn(_title(c), "left" if c.name == WHY else "right")
                    for c in sweep.columns)
    cells = tuple(tuple(_cell(cell, column) for cell, column in zip(row, sweep.columns,
                                                                    strict=True)) for row in rows)
    left = sum(skipped.values())
    title = (f"{sweep.model.name}: {several(len(rows), 'point')}"
             + (f" of {sweep.grid.points:,}" if left else ""))
    blocks: list[Block] = [Table(columns, cells)] if cells else []
    if skipped:
        blocks += [Heading(spans("Left out")), Items(tuple(
            spans(f"{several(count, 'point')}, where this does not hold: ", Code(why))
            for why, count in skipped.items()))]
    blocks += [Heading(spans("What this rests on")), Items(tuple(_remarks(sweep)))]
    return resting(Document(title, tuple(blocks)), sweep.model)


def _title(column: Column) -> Cell:
    if column.unit:
        return spans(Code(column.name))
    return column.name if column.name == WHY else spans(Math(ex.Sym(column.name)))


def _cell(cell: Any, column: Column) -> Cell:
    if cell is None:
        return "–"
    if isinstance(cell, str):
        return spans(Code(cell)) if cell else ""
    return exact_number(cell) if column.unit else grouped(cell)


def _remarks(sweep: Sweep) -> list[Any]:
    found = []
    for column in sweep.columns:
        if column.unit:
            unit = _NAMES.get(column.unit, column.unit)
            apart = "" if unit == "parameters" or unit in column.convention else f" in {unit}"
            found.append(spans(Code(column.name), f"{apart}: {column.convention}"))
    if sweep.dims.fixed:
        found.append(spans("dims: ", Settings.of(sweep.dims.fixed)))
    if sweep.dims.rules:
        found.append(spans("by rule: ", Rules.of(sweep.dims.rules.values())))
    return [*found, *(spans("assumed: ", Code(words)) for words in sweep.assumed_in_words)]
