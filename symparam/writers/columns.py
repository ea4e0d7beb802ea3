"""The cells of a table in LaTeX by columns, and how wide columns are so that all fit a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from symparam.dataclass import dataclass
from symparam.notation.notation import Notation
from symparam.writers.document import Cell, Math, Table, cell_spans
from symparam.writers.metrics import EM, text_pieces, text_width

#: The sizes of type of tables, on a page and in a column, as parts of the text's; small type is
#: drawn a little wider.
_PAGE, _COLUMN = (r"\small", 10 / EM), (r"\footnotesize", 9.3 / EM)
#: What is still a column, in points.
NARROW = 300
#: What a cell below another begins with.
INDENT = r"\quad{}"
#: The space between two columns, and narrower ones, in points.
GAPS = (12.0, 8.0, 6.0)

#: What writes the cells of a row.
Writing: TypeAlias = Callable[[Sequence[Cell]], tuple[str, ...]]


@dataclass(frozen=True)
class Cells:
    """The cells of a table in LaTeX, by columns.

    Attributes:
        titles: of the columns.
        heads: the same with the places where a line may end.
        rows: the cells as they stand on one line.
        loose: the same with the places where a line may end.
        right: whether a column stands on the right.
        wordy: whether it has no formulas.
    """

    titles: tuple[str, ...]
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    loose: tuple[tuple[str, ...], ...]
    right: tuple[bool, ...]
    wordy: tuple[bool, ...]

    def only(self, columns: Sequence[int]) -> Cells:
        """Some of the columns."""

        def some(row: Sequence[str]) -> tuple[str, ...]:
            return tuple(row[i] for i in columns)

        return Cells(some(self.titles), some(self.heads), tuple(map(some, self.rows)),
                     tuple(map(some, self.loose)), tuple(self.right[i] for i in columns),
                     tuple(self.wordy[i] for i in columns))

    @property
    def natural(self) -> list[float]:
        """The width of each column on one line, at the text's size."""
        return [max(text_width(row[i]) for row in (self.titles, *self.rows))
                for i in range(len(self.titles))]

    @property
    def least(self) -> list[float]:
        """The widest piece of each column, with what it is set in."""
        return [max(width for row in (self.heads, *self.loose)
                    for width in _widths(row[i])) for i in range(len(self.titles))]


def set_in(cell: str) -> tuple[int, str]:
    r"""How deep a cell is set in, and the rest of it.

    >>> set_in(r"\quad{} attention"), set_in("norms")
    ((1, 'attention'), (0, 'norms'))
    """
    words = cell.split(" ")
    depth = next((i for i, word in enumerate(words) if word != INDENT), 0)
    return depth, " ".join(words[depth:])


def ragged(cell: str) -> str:
    """A cell whose lines all begin where its first one does."""
    depth, rest = set_in(cell)
    hanging = rf"\hangindent{depth}em\hangafter0" if depth else ""
    return rf"\raggedright{hanging} {rest}"


def _widths(cell: str) -> list[float]:
    """The widths of the pieces of a cell, each behind what the cell is set in."""
    depth, rest = set_in(cell)
    return [depth * text_width(INDENT) + width for width, _ in text_pieces(rest)]


def cells_of(table: Table, write: Writing, loosely: Writing) -> Cells:
    """A table's cells.

    Args:
        table: the table.
        write: cells in LaTeX.
        loosely: the same with all places where a line may end.
    """
    wordy = tuple(not any(isinstance(span, Math) for row in table.rows
                          for span in cell_spans(row[i])) for i in range(len(table.columns)))
    titles = [column.title for column in table.columns]
    return Cells(write(titles), loosely(titles),
                  tuple(map(write, table.rows)), tuple(map(loosely, table.rows)),
                  tuple(column.align == "right" for column in table.columns), wordy)


def type_size(notation: Notation) -> tuple[str, float]:
    """The size of a table's type, the same for all tables of a page."""
    return _COLUMN if notation.page < NARROW else _PAGE


def specification(cells: Cells, widths: Sequence[float],
             scale: float) -> tuple[str, frozenset[int]]:
    """A column specification, and which columns wrap."""
    natural = [width * scale for width in cells.natural]
    wraps = frozenset(i for i, width in enumerate(widths) if width < natural[i])
    return "".join(f"p{{{widths[i]:.1f}pt}}" if i in wraps else "r" if cells.right[i] else "l"
                   for i in range(len(widths))), wraps


def widths_of(cells: Cells, page: float, scale: float, gap: float) -> list[float] | None:
    """The width of each column in points so that all fit: words give way first, then formulas,
    then titles above numbers. None where that is not enough."""
    natural = [width * scale for width in cells.natural]
    least = [width * scale + 0.2 for width in cells.least]
    excess = sum(natural) + gap * (len(natural) - 1) - page
    if excess <= 0:
        return natural
    groups = ([i for i in range(len(natural)) if not cells.right[i] and cells.wordy[i]],
              [i for i in range(len(natural)) if not cells.right[i]], list(range(len(natural))))
    for group in groups:
        spare = sum(max(0.0, natural[i] - least[i]) for i in group)
        if spare >= excess:
            level = _level([(natural[i], least[i]) for i in group], excess)
            return [max(min(width, level), min(least[i], width)) if i in group else width
                    for i, width in enumerate(natural)]
    return None


def _level(columns: Sequence[tuple[float, float]], excess: float) -> float:
    """The width to which the widest columns are cut so that together they lose the excess."""
    low, high = 0.0, max(width for width, _ in columns)
    for _ in range(30):
        middle = (low + high) / 2
        lost = sum(max(0.0, width - max(middle, least)) for width, least in columns)
        low, high = (middle, high) if lost >= excess else (low, middle)
    return low


def lines_of(cell: str, width: float) -> int:
    """How many lines a cell takes in a column so wide, at the text's size."""
    count, used = 1, 0.0
    depth, rest = set_in(cell)
    width -= depth * text_width(INDENT)
    for piece, space in text_pieces(rest):
        if used and used + piece > width:
            count, used = count + 1, 0.0
        used += piece + space
    return count if text_width(cell) else 0
