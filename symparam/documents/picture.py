"""The numbers of a picture as a table, and as JSON."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from symparam import expression as ex
from symparam.dims import known_dims
from symparam.documents.sweep import READABLE
from symparam.documents.view import View
from symparam.errors import BadValue
from symparam.notation.notation import PRESETS, Notation
from symparam.notation.numbers import grouped, percent, rounded
from symparam.plot.picture import Picture
from symparam.writers.document import (
    Cell,
    Code,
    Column,
    Document,
    Heading,
    Items,
    Math,
    Paragraph,
    Table,
    spans,
)

_TEXTS = frozenset({"model", "part", "attention", "step", "what"})


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
    columns = tuple(Column(
        spans(Math(ex.Sym(name))) if name in symbols else spans(Code(name)) if "_" in name
        else name, "left" if _is_text(picture, name) else "right") for name in picture.columns)
    rows = tuple(tuple(_cell(cell, name) for cell, name in zip(row, picture.columns, strict=True))
                 for row in picture.rows)
    remarks = Items(tuple(spans(remark) for remark in picture.remarks))
    drawn = Paragraph(spans("Drawn with ", Code(f"symparam plot {picture.kind} -o FILE.svg")
                            if picture.kind != "flow" else
                            Code("symparam plot flow --format mermaid"), "."))
    return Document(picture.title, (Table(columns, rows), Heading(spans("What this rests on")),
                                    remarks, drawn))


def _is_text(picture: Picture, name: str) -> bool:
    return name in _TEXTS and any(isinstance(cell, str) for cell in picture.column(name))


def _cell(cell: Any, name: str) -> Cell:
    if isinstance(cell, str):
        return spans(Code(cell)) if name == "model" else cell
    if name == "share":
        return percent(cell, 1)
    return rounded(cell, 2) if isinstance(cell, Fraction) else grouped(cell)
