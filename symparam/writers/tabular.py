"""How a table is set on a page so that it fits: its type size, and the columns that wrap."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import field

from symparam.dataclass import dataclass
from symparam.notation.notation import Notation
from symparam.writers.document import Math, Table, cell_spans
from symparam.writers.text import TextFormat

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
    least = [max(LEAST, width * scale) for width in _widths(table, notation, _pieces)]
    spec = ["r" if column.align == "right" else "l" for column in table.columns]
    wordy = [i for i in range(len(widths)) if spec[i] == "l" and not _mathematical(table, i)]
    excess = sum(widths) - room
    if excess > sum(max(0, widths[i] - least[i]) for i in wordy):  # formulas too
        wordy += [i for i in range(len(widths)) if spec[i] == "l" and i not in wordy]
    if excess <= 0 or not wordy:
        return Tabular(size, "".join(spec))
    level = _level([(widths[i], least[i]) for i in wordy], excess)
    wraps = frozenset(i for i in wordy if widths[i] > max(level, least[i]))
    for i in wraps:
        spec[i] = f"p{{{max(level, least[i]):.0f}pt}}"
    return Tabular(size, "".join(spec), wraps)


def _widths(table: Table, notation: Notation,
            pieces: Callable[[str], list[str]] = lambda cell: [cell]) -> list[float]:
    """The width of each column, or of its widest piece, in points at the normal size."""
    measure = TextFormat(notation)
    cells = [[measure.cell(c.title) for c in table.columns],
             *([measure.cell(cell) for cell in row] for row in table.rows)]
    points = max(POINTS, notation.page / notation.line * 0.8)
    return [max((len(piece) for row in cells for piece in pieces(row[i])), default=0) * points
            for i in range(len(table.columns))]


def _pieces(cell: str) -> list[str]:
    """What stands between two places where a line of a cell may end."""
    return re.split(r"\s+|(?==)|(?<=·)", cell)


def _mathematical(table: Table, column: int) -> bool:
    return any(isinstance(span, Math) for row in table.rows for span in cell_spans(row[column]))


def _level(columns: Sequence[tuple[float, float]], excess: float) -> int:
    """The width to which the widest columns are cut so that together they lose the excess.

    Args:
        columns: how wide each is, and how narrow it can be.
        excess: what they lose together, as far as they can.
    """
    for level in range(int(max(width for width, _ in columns)), LEAST, -1):
        if sum(max(0, width - max(level, least)) for width, least in columns) >= excess:
            return level
    return LEAST
