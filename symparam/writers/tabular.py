"""How a table is set on a page so that it fits: one size of type, columns that wrap, and where
that is not enough rows of two lines, or columns in several tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.notation.notation import Notation
from symparam.writers.columns import (
    GAPS,
    NARROW,
    Cells,
    Writing,
    cells_of,
    lines_of,
    ragged,
    specification,
    type_size,
    widths_of,
)
from symparam.writers.document import Math, Span, Table, cell_spans
from symparam.writers.line_breaks import Names, sub_sum
from symparam.writers.metrics import text_width
from symparam.writers.sub_sums import lettered

#: More lines than these are set as several tables, since no page breaks within one: on a page, and
#: in a column, where type is smaller.
MOST_LINES, MOST_IN_A_COLUMN = 28, 36
#: So many times the lines of a table with rows of two lines may one take whose columns wrap.
MORE = 1.3
#: So many lines longer or shorter is a table that ends where a part does.
NEAR = 5
#: The indentation of a line below the others, in points.
INDENT = 10


@dataclass(frozen=True)
class Tabular:
    """A type size, a column specification, and which columns wrap."""

    size: str
    columns: str
    wraps: frozenset[int] = field(default_factory=frozenset)


@dataclass(frozen=True)
class SetTable:
    """A table as LaTeX sets it.

    Attributes:
        size: of its type.
        gap: half the space between two columns, in points.
        columns: its column specification.
        head: the rows of titles.
        rows: the other rows; those of one entry stand together.
        total: whether the last entry sums the others.
        heights: how many lines each entry takes.
        notes: what is said below it.
        apart: behind which entries a little space is.
        broken: how many of its formulas take more than a line.
    """

    size: str
    gap: float
    columns: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    total: bool = False
    heights: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    apart: tuple[bool, ...] = ()
    broken: int = 0

    @property
    def lines(self) -> int:
        """How many lines its entries take."""
        return sum(self.heights)

    @property
    def burden(self) -> int:
        """Its lines, where a formula that is broken weighs as two more."""
        return self.lines + 2 * self.broken


def set_tables(table: Table, notation: Notation, write: Writing,
               loosely: Writing) -> Iterator[SetTable]:
    """A table as one or more that fit the page.

    Args:
        table: the table.
        notation: how wide the page is.
        write: cells in LaTeX.
        loosely: the same with all places where a line may end.
    """
    cells = cells_of(table, write, loosely)
    begins = [bool(row[0]) for row in cells.rows]
    most = MOST_IN_A_COLUMN if notation.page < NARROW else MOST_LINES
    for part in _fitting(cells, notation):
        for first, last in _batches(part.heights, begins, most):
            yield replace(part, rows=part.rows[first:last], heights=part.heights[first:last],
                          total=table.total and last == len(part.rows),
                          apart=part.apart[first:last])


def _batches(heights: Sequence[int], begins: Sequence[bool],
             most: int) -> Iterator[tuple[int, int]]:
    """The first and the last entry of each of several tables, as few as hold all lines and about
    as long as each other; one ends where a new part begins if that is near.

    >>> list(_batches([10] * 6, [True, False, False, False, True, False], 28))
    [(0, 2), (2, 4), (4, 6)]
    >>> list(_batches([2] * 20, [True, *[False] * 7, True, *[False] * 11], 28))
    [(0, 8), (8, 20)]
    """
    first = 0
    while first < len(heights):
        rest = sum(heights[first:])
        wanted = rest / -(-rest // most)
        ends = [end for end in range(first + 1, len(heights) + 1)
                if end == first + 1 or sum(heights[first:end]) <= most]
        last = min(ends, key=lambda end: (abs(sum(heights[first:end]) - wanted)
                   + NEAR * (end < len(heights) and not begins[end])))
        yield first, last
        first = last


def shortened(table: Table, names: Names) -> tuple[Table, Names]:
    """A table with names for the sums that several of its numbers on the right have, as of layers
    of several kinds; and these names.

    Args:
        table: the table.
        names: the sums that have names already; new ones are added.
    """
    right = {i for i, column in enumerate(table.columns) if column.align == "right"}
    found = Counter(part for row in table.rows for i in right for span in cell_spans(row[i])
                    if isinstance(span, Math) for part in ex.walk(span.left)
                    if isinstance(part, ex.Sum))
    used: Names = {part: names.setdefault(part, sub_sum(len(names))) for part, count in
                   found.items() if count > 1 and len(part.terms) > 1}

    def short(span: Span) -> Span:
        if isinstance(span, Math):
            for part, name in used.items():
                span = replace(span, left=lettered(span.left, part, name))
        return span

    rows = tuple(tuple(tuple(map(short, cell_spans(cell))) if i in right else cell
                       for i, cell in enumerate(row)) for row in table.rows)
    return replace(table, rows=rows), used


def tabular(table: Table, notation: Notation, write: Writing, loosely: Writing) -> Tabular:
    """How a table is set as one: its columns as narrow as they have to be, if they can."""
    cells, (size, scale) = cells_of(table, write, loosely), type_size(notation)
    found = widths_of(cells, notation.page, scale, GAPS[0]) or [
        width * scale for width in cells.least]
    return Tabular(size, *specification(cells, found, scale))


def _fitting(cells: Cells, notation: Notation) -> Iterator[SetTable]:
    """Tables that fit: as it is, wrapped, with rows of two lines, or with some columns each."""
    one = _one(cells, notation)
    two = _in_twolines_of(cells, notation)
    if one is not None and (two is None or one.burden <= two.burden * MORE):
        yield one
    elif two is not None:
        yield two
    elif len(groups := _groups(cells, notation)) > 1:
        for columns in groups:
            yield from _fitting(cells.only(columns), notation)
    else:
        yield _forced(cells, notation)


def _one(cells: Cells, notation: Notation) -> SetTable | None:
    """A row a line, its columns as far apart as costs no line; None where that does not fit."""
    scale = type_size(notation)[1]
    found = [_set(cells, widths, notation, gap) for gap in GAPS
             if (widths := widths_of(cells, notation.page, scale, gap)) is not None]
    return min(found, key=lambda table: table.burden, default=None)


def _forced(cells: Cells, notation: Notation) -> SetTable:
    """A table of which some piece is wider than there is room."""
    scale = type_size(notation)[1]
    return _set(cells, [width * scale for width in cells.least], notation, GAPS[-1])


def _set(cells: Cells, widths: Sequence[float], notation: Notation, gap: float) -> SetTable:
    size, scale = type_size(notation)
    spec, wraps = specification(cells, widths, scale)
    rows = list(zip(cells.rows, cells.loose, strict=True))
    lines = [[lines_of(loose[i], widths[i] / scale) if i in wraps else 1
              for i in range(len(widths))] for loose in cells.loose]
    heights = tuple(map(max, lines))
    return SetTable(size, gap / 2, spec, (_row(cells, cells.titles, cells.heads, wraps),), tuple(
        (_row(cells, row, loose, wraps),) for row, loose in rows), heights=heights,
        apart=(max(heights, default=1) > 1,) * len(heights),
        broken=sum(n > 1 and not cells.wordy[i] for own in lines for i, n in enumerate(own)))


def _row(cells: Cells, row: Sequence[str], loose: Sequence[str], wraps: frozenset[int]) -> str:
    return " & ".join(
        (r"\raggedleft " + loose[i] if cells.right[i] else ragged(loose[i])) if i in wraps
        else row[i] for i in range(len(row)))


def _in_twolines_of(cells: Cells, notation: Notation) -> SetTable | None:
    """Rows of which one cell stands on a line of its own: the first above the others, another
    below them. None where that does not fit; else what takes fewest lines."""
    every = range(len(cells.titles))
    if len(every) < 2:
        return None
    set_in = replace(notation, page=notation.page - INDENT)
    found = [_with_line(rest, cells, column, notation) for column in every
             if not cells.right[column]
             if (rest := _one(cells.only([i for i in every if i != column]),
                              notation if column else set_in)) is not None]
    return min(found, key=lambda table: table.burden, default=None)


def _with_line(rest: SetTable, cells: Cells, column: int, notation: Notation) -> SetTable:
    """A table with a line across it for one more column; what stands below a line is set in."""
    scale, first = type_size(notation)[1], column == 0
    space, width = rf"@{{\hspace*{{{INDENT}pt}}}}", notation.page - INDENT * (not first)
    span = f"\\multicolumn{{{len(cells.titles) - 1}}}{{{'@{}' if first else space}"

    def with_line(text: str, below: tuple[str, ...]) -> tuple[str, ...]:
        short = text_width(text) * scale <= width
        own = (span + (rf"l@{{}}}}{{{text}}}" if short else
                       rf"p{{{width:.1f}pt}}@{{}}}}{{{ragged(text)}}}"),) if text else ()
        return (*own, *below) if first else (*below, *own)

    loose = [row[column] for row in cells.loose]
    lines = [lines_of(text, width / scale) for text in loose]
    bare = [not any(cell for i, cell in enumerate(row) if i != column) for row in cells.rows]
    return SetTable(rest.size, rest.gap, (space if first else "") + rest.columns,
                    with_line(cells.heads[column], rest.head),
                    tuple(with_line(text, () if empty and text else row) for text, row, empty in
                          zip(loose, rest.rows, bare, strict=True)),
                    heights=tuple(max(1, own + height * (not empty)) for own, height, empty in
                                  zip(lines, rest.heights, bare, strict=True)),
                    apart=tuple(not empty and (not first or bool(text)) for text, empty in
                                zip([*loose[1:], "end"], [*bare[1:], False], strict=True)),
                    broken=rest.broken + sum(n > 1 and not cells.wordy[column] for n in lines))


def _groups(cells: Cells, notation: Notation) -> list[list[int]]:
    """Columns in groups that fit, each behind the first column, and as even as can be."""
    scale, gap = type_size(notation)[1], GAPS[-1]
    first, *others = [width * scale for width in cells.least]
    return [[0, *(i + 1 for i in group)] for group in evenly(
        lambda group: first + sum(others[i] + gap for i in group), len(others), notation.page)]


def evenly(width: Callable[[Sequence[int]], float], count: int,
           page: float) -> list[list[int]]:
    """So many things in order in as few groups as a page's width allows; where the last one would
    be alone the widest group is as narrow as can be. What does not fit has a group of its own.

    >>> evenly(lambda group: 3.0 * len(group), 5, 14), evenly(len, 5, 3)
    ([[0, 1, 2], [3, 4]], [[0, 1, 2], [3, 4]])
    """
    found = _in_groups(width, count, page)
    while len(found[-1]) == 1:
        narrower = _in_groups(width, count, max(map(width, found)) - 1e-6)
        if len(narrower) > len(found) or max(map(width, narrower)) >= max(map(width, found)):
            break
        found = narrower
    return found


def _in_groups(width: Callable[[Sequence[int]], float], count: int,
               page: float) -> list[list[int]]:
    groups: list[list[int]] = [[]]
    for i in range(count):
        if groups[-1] and width([*groups[-1], i]) > page:
            groups.append([])
        groups[-1].append(i)
    return groups
