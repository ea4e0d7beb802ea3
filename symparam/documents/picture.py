"""The numbers of a picture as a table, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from symparam import expression as ex
from symparam.dims import known_dims
from symparam.documents.common.side_by_side import width_of
from symparam.documents.common.view import View
from symparam.documents.sweep import READABLE
from symparam.errors import BadValue
from symparam.notation.notation import PRESETS, Notation
from symparam.notation.numbers import grouped, percent, power_of_ten, rounded, short
from symparam.plot.picture import Picture
from symparam.writers.document import (
    Block,
    Cell,
    Code,
    Column,
    Document,
    Heading,
    Items,
    Math,
    Paragraph,
    Span,
    Table,
    spans,
)
from symparam.writers.text import WIDTH, TextFormat

#: Of a kind of picture the column whose values stand above a table each.
APART = {"isoflop": "C", "layers": "model"}

_TEXTS = frozenset({"best", "model", "part", "attention", "step", "what", "mixing", "network"})

#: Whole numbers from here on are written in short where a line has no room for all of them.
LONG = 10**6


class PictureView(View):
    """The numbers of a picture, in every format of documents."""

    def __init__(self, picture: Picture, notation: Notation = PRESETS["paper"]) -> None:
        self.picture, self.notation = picture, notation

    def document(self) -> Document:
        """The numbers as a table.

        Raises:
            BadValue: there are too many rows to read.
        """
        return picture_document(self.picture)

    def json(self) -> dict[str, Any]:
        """The numbers as data."""
        return picture_json(self.picture)


def picture_json(picture: Picture) -> dict[str, Any]:
    """The numbers as data: integers exact, a fraction as the text ``"3/2"``."""
    return {"kind": picture.kind, "title": picture.title, "columns": list(picture.columns),
            "rows": [[str(cell) if isinstance(cell, Fraction) else cell for cell in row]
                     for row in picture.rows],
            "remarks": list(picture.remarks)}


def picture_document(picture: Picture) -> Document:
    """The numbers as a table.

    Raises:
        BadValue: there are too many rows to read.
    """
    if len(picture.rows) > READABLE:
        raise BadValue(picture.kind, f"{len(picture.rows):,} rows", "are too many for a table: "
                       "use --format csv, or fewer values of an axis")
    symbols = {dim.name for dim in known_dims()} | {"P"}
    shown = [name for name in picture.columns if name != APART.get(picture.kind)]
    columns = tuple(Column(
        spans(Math(ex.Sym(name))) if name in symbols else spans(Code(name)) if "_" in name
        else name, "left" if _is_text(picture, name) else "right") for name in shown)
    def tables(brief: bool) -> list[tuple[tuple[Span, ...], Table]]:
        return [(title, Table(columns, tuple(tuple(
            _cell(row[name], name, brief) for name in shown) for row in rows)))
            for title, rows in _groups(picture)]

    brief = any(width_of(table, TextFormat()) > WIDTH for _, table in tables(False))
    blocks: list[Block] = []
    for title, table in tables(brief):
        blocks += [Heading(title), table] if title else [table]
    more = ("numbers in full: --format csv, --json",) if brief else ()
    remarks = Items(tuple(spans(remark) for remark in (*picture.remarks, *more)))
    drawn = Paragraph(spans("Drawn with ", Code(f"symparam plot {picture.kind} -o FILE.svg")
                            if picture.kind != "flow" else
                            Code("symparam plot flow --format mermaid"), "."))
    return Document(picture.title, (*blocks, Heading(spans("What this rests on")), remarks, drawn))


def _groups(picture: Picture) -> Iterator[tuple[tuple[Span, ...], list[dict[str, Any]]]]:
    """The rows of each table, with what stands above it."""
    apart = APART.get(picture.kind)
    if apart is None:
        yield (), [dict(zip(picture.columns, row, strict=True)) for row in picture.rows]
        return
    for value, rows in picture.groups(apart):
        yield spans(Code(value) if isinstance(value, str) else
                    f"{apart} = {power_of_ten(value)} FLOP"), rows


def _is_text(picture: Picture, name: str) -> bool:
    return name in _TEXTS and any(isinstance(cell, str) for cell in picture.column(name))


def _cell(cell: Any, name: str, brief: bool) -> Cell:
    if isinstance(cell, str):
        return spans(Code(cell)) if name == "model" else cell
    if name == "share":
        return percent(cell, 1)
    if brief and cell == int(cell) and abs(cell) >= LONG:
        return short(int(cell))
    return rounded(cell, 2) if isinstance(cell, Fraction) else grouped(cell)
