"""What the columns of a table are: dims, options, names, and claimed numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from symparam import expression as ex
from symparam.claims.printed import read_printed
from symparam.claims.tables.cells import CellTable, TableError
from symparam.claims.tables.choices import (
    COMBINED,
    NUMBERED,
    choice_of,
    is_choice,
    is_common,
    is_function,
)
from symparam.claims.tables.titles import IGNORED, NAME, OPTIONS, meaning, unit
from symparam.dataclass import dataclass
from symparam.dims import TOTAL, Names
from symparam.errors import BadValue, SymparamError
from symparam.grammar import parse_expression
from symparam.quantities.counts import COUNTS

#: A table with more rows has no model a column.
MOST_DIMS = 200
_EMPTY = frozenset({"", "-", "–", "—", "n/a", "na", "?", "..."})


@dataclass(frozen=True)
class Column:
    """A column that means something.

    Attributes:
        title: as it stands in the table. place: which one it is.
        kind: ``dim``, ``option``, ``claim`` or ``name``.
        key: the dim or option; of a claim its text.
        left: what a claim is about.
        unit: what stands behind its numbers, where the title says it.
        by_cells: whether its cells say what it is, and not its title.
    """

    title: str
    place: int
    kind: str
    key: str
    left: ex.Expr | None = None
    unit: str = ""
    by_cells: bool = False


@dataclass(frozen=True)
class Layout:
    """A table whose columns are understood.

    Attributes:
        table: turned, where it had one model a column.
        columns: those that mean something.
        ignored: titles of the others.
        weightless: titles of those that name functions between two matrices and nothing else.
        turned: whether it had one model a column.
        lines: of such a table, where the rows stood that are columns now, from the second on.
        inner: the title of a column of hidden widths that is taken as d_ff, beside one of d_model.
        labels: whether the names of the rows are the sizes that are claimed.
    """

    table: CellTable
    columns: tuple[Column, ...]
    ignored: tuple[str, ...]
    turned: bool = False
    lines: tuple[int, ...] = ()
    labels: bool = False
    inner: str = ""
    weightless: tuple[str, ...] = ()

    def of(self, kind: str) -> tuple[Column, ...]:
        """The columns of a kind."""
        return tuple(column for column in self.columns if column.kind == kind)


def is_empty(cell: str) -> bool:
    """Whether a cell says nothing.

    >>> is_empty("—"), is_empty("0")
    (True, False)
    """
    return cell.strip().lower() in _EMPTY


def layout(table: CellTable, given: Mapping[str, str] | None = None,
           names: Mapping[str, str] = MappingProxyType({})) -> Layout:
    """What each column of a table is.

    Args:
        table: the table; one model a row, or one a column.
        given: title of a column to what it is: a dim, an option, ``name``, an expression that is
            claimed, or ``-`` for a column to pass over.
        names: what the dims of the model that rows are of are called, with the name of each.

    Raises:
        TableError: no column says what is claimed, or two say the same.
    """
    mapped = dict(given or {})
    for title in mapped:
        if title not in table.header and title not in {cells[0] for _, cells in table.rows}:
            raise TableError(table.where, table.line, title, "--map names no column of the table; "
                             "they are " + ", ".join(table.header))
    turned = _is_turned(table, {*mapped, *names})
    lines = tuple(line for line, _ in table.rows) if turned else ()
    table = _turned(table) if turned else table
    columns, ignored, weightless = [], [], []
    for place, title in enumerate(table.header):
        column = _column(table, title, place, mapped, names)
        if column is None:
            ignored.append(title)
        elif title not in mapped and _is_weightless(table, column):
            weightless.append(title)
        else:
            columns.append(column)
    found = Layout(table, tuple(columns), tuple(ignored), turned, lines,
                   weightless=tuple(weightless))
    found = _with_names(_with_inner(found, mapped))
    _once(found)
    return found


def _column(table: CellTable, title: str, place: int, given: Mapping[str, str],
            names: Mapping[str, str]) -> Column | None:
    behind = unit(title)
    if title in given:
        wanted = given[title].strip()
        return _mapped(table, title, place, names.get(wanted, wanted), behind, names)
    titled = names.get(title) or meaning(title)
    key = _by_cells(table, titled, _cells(table, place))
    if key is None:
        return None
    return replace(_made(title, place, key, behind), by_cells=key != titled)


def _cells(table: CellTable, place: int) -> list[str]:
    """What a column says, each thing once."""
    return list(dict.fromkeys(cells[place] for _, cells in table.rows
                              if not is_empty(cells[place])))


def _by_cells(table: CellTable, key: str | None, cells: list[str]) -> str | None:
    """What a column is by its cells, where they do not go with what its title says."""
    if not cells or (key in OPTIONS and all(is_choice(key, cell) for cell in cells)):
        return key
    numbers = sum(map(_is_number, cells))
    if key in NUMBERED and numbers == len(cells):
        return NUMBERED[key]
    if key == NAME:
        names = sum(meaning(title) == NAME for title in table.header)
        return (choice_of(cells) or key) if names > 1 else key
    if numbers or key == TOTAL.name or key in COUNTS:
        return key
    if key is None and all(map(is_common, cells)):
        return None
    return choice_of(cells) or key


def _is_weightless(table: CellTable, column: Column) -> bool:
    """Whether a column of networks says which function stands between two matrices, and no more."""
    cells = _cells(table, column.place)
    return column.key == "ffn" and bool(cells) and all(map(is_function, cells))


def _is_number(cell: str) -> bool:
    try:
        read_printed(cell)
    except BadValue:
        return False
    return True


def _made(title: str, place: int, key: str, unit: str) -> Column:
    if key == NAME:
        return Column(title, place, "name", key)
    if key in OPTIONS:
        return Column(title, place, "option", key)
    if key in COUNTS:
        return Column(title, place, "claim", key, ex.Sym(key), unit)
    return Column(title, place, "dim", key, None, unit)


def _mapped(table: CellTable, title: str, place: int, key: str, unit: str,
            names: Mapping[str, str]) -> Column | None:
    """A column as ``--map`` has it."""
    if key == IGNORED:
        return None
    known = key if key in OPTIONS or key in {NAME, *COUNTS, *names.values()} else meaning(key)
    if known is not None:
        return _made(title, place, known, unit)
    try:
        left = parse_expression(key, Names({**names, **{name: name for name in COUNTS}}))
    except SymparamError as error:
        raise TableError(table.where, table.line, title, f"--map: {error}") from None
    return Column(title, place, "claim", key, left, unit)


def _is_turned(table: CellTable, given: Collection[str]) -> bool:
    """Whether the first column names dims, so that each further column is a model."""
    if len(table.rows) > MOST_DIMS:
        return False
    across = sum(1 for title in table.header[1:] if title in given or meaning(title) is not None)
    down = sum(1 for _, cells in table.rows if cells[0] in given or meaning(cells[0]) is not None)
    return down >= 2 and down > across


def _turned(table: CellTable) -> CellTable:
    header = (NAME, *(cells[0] for _, cells in table.rows))
    rows = tuple((table.line, (table.header[i], *(cells[i] for _, cells in table.rows)))
                 for i in range(1, len(table.header)))
    return replace(table, header=header, rows=rows)


def _with_inner(found: Layout, given: Mapping[str, str]) -> Layout:
    """Where one column is the width of the model and another a hidden one, that is the FFN's."""
    widths = [c for c in found.of("dim") if c.key == "d_model"]
    hidden = [c for c in widths if "hidden" in c.title.lower() and c.title not in given]
    if len(widths) != 2 or len(hidden) != 1 or any(c.key == "d_ff" for c in found.columns):
        return found
    columns = tuple(replace(c, key="d_ff") if c is hidden[0] else c for c in found.columns)
    return replace(found, columns=columns, inner=hidden[0].title)


def _with_names(found: Layout) -> Layout:
    """A table whose rows are named, and whose names are what is claimed if nothing else is."""
    table, columns = found.table, list(found.columns)
    if not found.of("name") and found.ignored:
        first = found.ignored[0]
        place = table.header.index(first)
        if place == 0:
            columns.insert(0, Column(first, 0, "name", NAME))
            found = replace(found, ignored=found.ignored[1:])
    found = replace(found, columns=tuple(columns))
    names = found.of("name")
    if found.of("claim") or not names:
        return found
    cells = [cells[names[0].place] for _, cells in table.rows]
    if all(_is_size(cell) for cell in cells):
        label = Column(names[0].title, names[0].place, "claim", TOTAL.name, ex.Sym(TOTAL.name))
        return replace(found, columns=(*found.columns, label), labels=True)
    return found


def _is_size(cell: str) -> bool:
    try:
        found = read_printed(cell)
        return found.label or (found.unit and "." not in found.text)
    except BadValue:
        return False


def _once(found: Layout) -> None:
    table = found.table
    if not found.of("claim"):
        raise TableError(table.where, table.line, "", "no column says what is claimed (params, "
                         "size, P ...): name one with --map 'COLUMN=P'; the columns are "
                         + ", ".join(table.header))
    seen: dict[str, str] = {}
    for column in found.columns:
        together = column.kind == "option" and column.key in COMBINED
        if column.kind != "claim" and column.key in seen and not together:
            raise TableError(table.where, table.line, column.title, f"is {column.key}, as "
                             f"{_another(column.title, seen[column.key])}")
        seen.setdefault(column.key if column.kind != "claim" else f"claim {column.place}",
                        column.title)


def _another(title: str, first: str) -> str:
    """The column that says the same, and what makes one of the two: --map knows them by titles."""
    if title == first:
        return "another column of this title is: give one of them another title"
    return f"{first!r} is: map one of them with --map 'COLUMN=-'"


def read_map(texts: Iterable[str]) -> dict[str, str]:
    """Titles of columns and what they are, from ``COLUMN=NAME``.

    Raises:
        BadValue: a text of another shape.

    >>> read_map(["Inner width=d_ff"])
    {'Inner width': 'd_ff'}
    """
    found = {}
    for text in texts:
        title, equals, key = text.rpartition("=")
        if not equals or not title.strip() or not key.strip():
            raise BadValue("--map", text, "expected COLUMN=NAME, such as 'Inner width=d_ff'")
        found[title.strip()] = key
    return found


