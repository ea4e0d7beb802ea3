"""What the rows of a table say: their cells as numbers, options and claims, nothing counted yet."""

from __future__ import annotations

from typing import Any

from symparam import expression as ex
from symparam.claims.claim import Claim
from symparam.claims.printed import Printed, pointed, read_printed
from symparam.claims.tables.cells import TableError, with_unit
from symparam.claims.tables.choices import chosen, combined
from symparam.claims.tables.columns import Column, Layout, is_empty
from symparam.dataclass import dataclass
from symparam.errors import BadValue, short, the


@dataclass(frozen=True)
class Said:
    """What a row says: its numbers, its options, and its claims, each with its column.

    Columns of dims that say nothing in it are ``empty``.
    """

    line: int
    name: str
    dims: dict[str, int]
    options: dict[str, Any]
    claims: tuple[tuple[Column, Claim], ...]
    empty: tuple[Column, ...] = ()


@dataclass(frozen=True)
class Cells:
    """Reads the rows of one table.

    Attributes:
        found: what its columns are.
    """

    found: Layout

    def read(self, line: int, cells: tuple[str, ...]) -> Said:
        """A row's cells as numbers, before anything is counted."""
        names = self.found.of("name")
        name = (cells[names[0].place] if names else "") or f"line {line}"
        dims = {c.key: self._dim(line, c, cells) for c in self.found.of("dim")
                if not is_empty(cells[c.place])}
        options = self._chosen(line, cells)
        claims = tuple((c, self._claim(line, c, cells)) for c in self.found.of("claim")
                       if not is_empty(cells[c.place]))
        empty = tuple(c for c in self.found.of("dim") if is_empty(cells[c.place]))
        return Said(line, name, dims, options, claims, empty)

    def _chosen(self, line: int, cells: tuple[str, ...]) -> dict[str, Any]:
        """The options of a row; one that two columns speak of by what both say."""
        said: dict[str, list[Any]] = {}
        for column in self.found.of("option"):
            if is_empty(cells[column.place]):
                continue
            own = said.setdefault(column.key, [])
            try:
                own.append(chosen(column.key, cells[column.place]))
                combined(column.key, own)
            except BadValue as error:
                raise self._refused(line, column, error.problem, cells) from None
        return {key: combined(key, own) for key, own in said.items()}

    def _claim(self, line: int, column: Column, cells: tuple[str, ...]) -> Claim:
        left = the(ex.Expr, column.left)
        try:
            return Claim(left, "=", self._printed(column, cells))
        except BadValue as error:
            raise self._refused(line, column, error.problem, cells) from None

    def _dim(self, line: int, column: Column, cells: tuple[str, ...]) -> int:
        try:
            value = self._printed(column, cells).value
        except BadValue as error:
            raise self._refused(line, column, error.problem, cells) from None
        if not isinstance(value, int) or value < 1:
            raise self._refused(line, column, f"{column.key} is a whole number, at least 1", cells)
        return value

    def _printed(self, column: Column, cells: tuple[str, ...]) -> Printed:
        text, of_dim = with_unit(cells[column.place], column.unit), column.kind == "dim"
        if self.found.table.commas:
            text = pointed(text, integral=of_dim)
        return read_printed(text, column.key if of_dim else "claim")

    def nothing(self, column: Column) -> str:
        """That a column has no number in a row."""
        alias = "" if column.key == column.title else f" ({column.key})"
        there, here = ("row", "column") if self.found.turned else ("column", "row")
        return f"the {there} {short(column.title, 40)}{alias} has no number in this {here}"

    def _refused(self, line: int, column: Column, problem: str,
                 cells: tuple[str, ...]) -> TableError:
        title = column.title
        if self.found.turned and column.place:
            line, title = self.found.lines[column.place - 1], cells[0]
        return TableError(self.found.table.where, line, title,
                          f"{cells[column.place]!r}: {problem}")
