"""How a table is set on a page so that it fits: its type size, and the columns that wrap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from symparam.export.document import Math, Table, cell_spans
from symparam.export.notation import Notation
from symparam.export.text import TextFormat

#: The width in points of a character of plain text once it is set.
POINTS = 5.4
#: The space between two columns, and the least width of one that wraps.
GAP = 12
LEAST = 60

_SIZES = ((r"\normalsize", 1.0), (r"\small", 0.92), (r"\footnotesize", 0.82),
          (r"\scriptsize", 0.73))


@dataclass(frozen=True)
class Tabular:
    """A type size, a column specification, and which columns wrap."""

    size: str
    columns: str
    wraps: frozenset[int] = field(default_factory=frozenset)


def tabular(table: Table, notation: Notation) -> Tabular:
    """The largest type in which a table fits; if none, the smallest, and columns of words wrap."""
    widths = _widths(table, notation)
    room = notation.page - GAP * (len(widths) - 1)
    size, scale = next(((name, factor) for name, factor in _SIZES
                        if sum(widths) * factor <= room), _SIZES[-1])
    widths = [width * scale for width in widths]
    spec = ["r" if column.align == "right" else "l" for column in table.columns]
    wordy = [i for i in range(len(widths)) if spec[i] == "l" and not _mathematical(table, i)]
    excess = sum(widths) - room
    if excess > sum(max(0, widths[i] - LEAST) for i in wordy):  # formulas too
        wordy += [i for i in range(len(widths)) if spec[i] == "l" and i not in wordy]
    if excess <= 0 or not wordy:
        return Tabular(size, "".join(spec))
    most = _level([widths[i] for i in wordy], excess)
    wraps = frozenset(i for i in wordy if widths[i] > most)
    for i in wraps:
        spec[i] = f"p{{{most:.0f}pt}}"
    return Tabular(size, "".join(spec), wraps)


def _widths(table: Table, notation: Notation) -> list[float]:
    """The width of each column in points at the normal size."""
    measure = TextFormat(notation)
    cells = [[measure.cell(c.title) for c in table.columns],
             *([measure.cell(cell) for cell in row] for row in table.rows)]
    points = max(POINTS, notation.page / notation.line * 0.8)
    return [max(len(row[i]) for row in cells) * points for i in range(len(table.columns))]


def _mathematical(table: Table, column: int) -> bool:
    return any(isinstance(span, Math) for row in table.rows for span in cell_spans(row[column]))


def _level(widths: Sequence[float], excess: float) -> float:
    """The width to which the widest columns are cut so that together they lose the excess."""
    left = sorted(widths, reverse=True)
    for count in range(1, len(left) + 1):
        level = (sum(left[:count]) - excess) / count
        if count == len(left) or level >= left[count]:
            return max(LEAST, level)
    raise ValueError("there is no column")
