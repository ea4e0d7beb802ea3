"""Tables of several models: a model a column where few fit a line, else a model a row.

More models than fit are rows, as a page has them, in as many tables as their columns need.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symparam.dataclass import dataclass
from symparam.model import Model
from symparam.notation.notation import Notation
from symparam.writers.document import Cell, Column, Items, Source, Table, spans
from symparam.writers.tabular import evenly
from symparam.writers.text import WIDTH, TextFormat

#: More models than this are rows.
COLUMNS = 3
#: The width of a title that wraps.
TITLE = 26
#: What a model does not have.
NONE = "–"


@dataclass(frozen=True)
class Line:
    """One number of each model.

    Attributes:
        title: what it is.
        cells: the models' numbers as they are written.
    """

    title: Cell
    cells: tuple[Cell, ...]


def side_by_side(names: Sequence[str], lines: Sequence[Line],
                 notation: Notation) -> Iterator[Table]:
    """The tables of some models.

    Args:
        names: the models'.
        lines: what is told of each.
        notation: how dims will be written, which says how much fits a line.
    """
    measure = TextFormat(notation)
    beside = _as_columns(names, lines)
    if len(names) <= COLUMNS and width_of(beside, measure, TITLE) <= WIDTH:
        yield beside
    else:
        yield from _split(names, lines, measure)


def _as_columns(names: Sequence[str], lines: Sequence[Line]) -> Table:
    """A model a column, a number a row."""
    columns = (Column(""), *(Column(name, "right") for name in names))
    return Table(columns, tuple((line.title, *line.cells) for line in lines))


def _as_rows(names: Sequence[str], lines: Sequence[Line]) -> Table:
    """A model a row, a number a column."""
    columns = (Column("model"), *(Column(line.title, "right") for line in lines))
    return Table(columns, tuple((name, *(line.cells[i] for line in lines))
                                for i, name in enumerate(names)))


def _split(names: Sequence[str], lines: Sequence[Line], measure: TextFormat) -> Iterator[Table]:
    """A model a row, in as many tables as it takes for each to fit a line."""
    def table(group: Sequence[int]) -> Table:
        return _as_rows(names, [lines[i] for i in group])

    return map(table, evenly(lambda group: width_of(table(group), measure), len(lines), WIDTH))


def width_of(table: Table, measure: TextFormat, first: int = WIDTH) -> int:
    """How many columns of text a table takes; its first column, which can wrap, at most so many."""
    rows = [[measure.cell(column.title) for column in table.columns],
            *([measure.cell(cell) for cell in row] for row in table.rows)]
    widths = [max(map(len, column)) + 2 for column in zip(*rows, strict=True)]
    return min(widths[0], first) + sum(widths[1:])


def together(names: Sequence[str]) -> str:
    """Some models in a title.

    >>> together(["a", "b"]), together(["a", "b", "c", "d"])
    ('a, b', '4 models')
    """
    return ", ".join(names) if len(names) <= COLUMNS else f"{len(names)} models"


def models_remarks(models: Sequence[Model]) -> Iterator[Items]:
    """What has to be known of single models: what is counted of them, and where they are from."""
    found = []
    for model in models:
        words = [model.part] if model.part != "all" else []
        words += [f"left out: {each}" for each in model.left_out]
        source = ("source: ", Source(model.source)) if model.source else ()
        if words or source:
            said = "; ".join(words) + "; " * bool(words and source)
            found.append(spans(f"{model.name}: {said}", *source))
    if found:
        yield Items(tuple(found))
