"""Tables of texts, as they were read from a file in whichever way, and their bounds."""

from __future__ import annotations

from symparam.dataclass import dataclass
from symparam.errors import SymparamError, short

MAX_ROWS, MAX_COLUMNS, MAX_CELL = 200_000, 200, 1_000


class TableError(SymparamError):
    """A table that cannot be read.

    Attributes: the file, the line (0 where it is no line's fault), the column (empty likewise),
    the problem.
    """

    def __init__(self, where: str, line: int, column: str, problem: str) -> None:
        super().__init__(where, line, column, problem)
        self.where, self.line, self.column, self.problem = where, line, column, problem

    def __str__(self) -> str:
        place = f", line {self.line}" if self.line else ""
        column = f", column {short(self.column, 60)!r}" if self.column else ""
        return f"{short(self.where, 200)}{place}{column}: {self.problem}"


@dataclass(frozen=True)
class CellTable:
    """A table of texts.

    Attributes:
        where: the file.
        header: titles of the columns.
        rows: cells, as many as there are titles, each row with its line in the file.
        line: where the header stands.
        commas: whether a decimal comma is usual in it.
    """

    where: str
    header: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    line: int = 1
    commas: bool = False


def regular(where: str, line: int, header: tuple[str, ...], cells: list[str]) -> tuple[str, ...]:
    """The cells of a row, which has as many as the header.

    Raises:
        TableError: it has not, or one is too long.
    """
    if len(cells) != len(header):
        more = "more" if len(cells) > len(header) else "fewer"
        at = header[len(cells)] if len(cells) < len(header) else header[-1]
        raise TableError(where, line, at, f"{len(cells)} cells, {more} than the {len(header)} "
                         "of the header")
    for title, cell in zip(header, cells, strict=True):
        if len(cell) > MAX_CELL:
            raise TableError(where, line, title, f"a cell of more than {MAX_CELL} characters")
    return tuple(cells)


def bounded(where: str, header: tuple[str, ...], line: int, count: int) -> None:
    """Raise TableError where a table is beyond its bounds."""
    if len(header) > MAX_COLUMNS:
        raise TableError(where, line, "", f"more than {MAX_COLUMNS} columns")
    if count <= 1 and max(map(len, header), default=0) > MAX_CELL:
        raise TableError(where, line, "", f"a title of more than {MAX_CELL} characters")
    if count > MAX_ROWS:
        raise TableError(where, line, "", f"more than {MAX_ROWS:,} rows")


def with_unit(cell: str, unit: str) -> str:
    """A number with the unit of its column, unless it has one of its own.

    >>> with_unit("6.7*", "B"), with_unit("6.7 M", "B")
    ('6.7 B', '6.7 M')
    """
    bare = cell.strip().rstrip("*†‡")
    return f"{bare} {unit}" if unit and bare[-1:].isdigit() else cell
