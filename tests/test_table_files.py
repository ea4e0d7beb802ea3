"""Tables in files: written in any dialect they are read back, with their lines, or refused."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symparam.claims.tables import cells, csv_table, latex_table, markdown_table
from symparam.claims.tables.cells import CellTable, TableError
from tests.helpers import message, together
from tests.strategies import quick

#: A text, and the lines at which its header and its rows begin.
Written = tuple[str, list[int]]
Grid = list[list[str]]

CELLS = st.text("ab1,;|&%#\"' .\u2009", max_size=7).map(lambda t: " ".join(t.split()))
TITLES = st.lists(st.text("abcP", min_size=1, max_size=4), min_size=2, max_size=4)


@st.composite
def grids(draw: st.DrawFn) -> Grid:
    """Titles, and rows of cells; no row is empty, since an empty line is none."""
    titles = draw(TITLES)
    row = st.lists(CELLS, min_size=len(titles), max_size=len(titles)).filter(any)
    return [titles, *draw(st.lists(row, max_size=4))]


def as_csv(grid: Grid, rng: random.Random) -> Written:
    """Some lines empty before, some cells quoted, over two lines here and there."""
    out, lines = io.StringIO(newline=""), []
    quoting = rng.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    writer = csv.writer(out, delimiter=rng.choice(csv_table.SEPARATORS), quoting=quoting)
    for i, row in enumerate(grid):
        out.write("\r\n" * rng.randrange(2))
        lines.append(out.getvalue().count("\n") + 1)
        writer.writerow([cell.replace(" ", "\n") if i and rng.random() < .3 else cell
                         for cell in row])
    return out.getvalue(), lines


def as_markdown(grid: Grid, rng: random.Random) -> Written:
    """With bars at both ends, or without them where the cells there are not empty."""
    before = ["", "text | that is no table"][:rng.randrange(3)]
    lines = []
    for i, row in enumerate(grid):
        shown = [cell.replace("|", r"\|") for cell in row]
        bars = [row[at] == "" or rng.random() < .5 for at in (0, -1)]
        lines.append("| " * bars[0] + " | ".join(shown) + " |" * bars[1])
        if not i:
            lines.append(" | ".join(rng.choice(("---", ":-", "-:", ":-:")) for _ in row))
    first = len(before) + 1
    rows = range(first + 2, first + 1 + len(grid))
    return "\n".join([*before, *lines, "", "| no | row |"]), [first, *rows]


def as_latex(grid: Grid, rng: random.Random) -> Written:
    """With lines between rows, comments and bold cells."""
    kind = rng.choice(("tabular", "longtable"))
    text, lines = f"% a table\n\\begin{{{kind}}}{{@{{}}l*{{9}}{{r}}}}\n", []
    for row in grid:
        text += rng.choice(("", "\\hline\n", "\\cmidrule(lr){1-2}\n", "% no row & here\n"))
        lines.append(text.count("\n") + 1)
        shown = [f"\\textbf{{{cell}}}" if rng.random() < .3 else cell for cell in (
            "".join(f"\\{c}" if c in "&%#" else c for c in cell) for cell in row)]
        shown[0] = shown[0] or "{}"
        text += " & ".join(shown) + rng.choice((r" \\", r"\\[2pt]", r" \tabularnewline")) + "\n"
    return f"{text}\\bottomrule\n\\end{{{kind}}}\n", lines


DIALECTS: dict[str, tuple[Callable[[str, str], CellTable],
                          Callable[[Grid, random.Random], Written]]] = {
    "csv": (csv_table.read, as_csv), "md": (markdown_table.read, as_markdown),
    "tex": (latex_table.read, as_latex)}


@pytest.mark.parametrize("dialect", DIALECTS)
@quick
@given(grids(), st.randoms(use_true_random=False))
def test_a_table_that_was_written_is_read_back(dialect: str, grid: Grid,
                                               rng: random.Random) -> None:
    read, write = DIALECTS[dialect]
    text, lines = write(grid, rng)
    table = read("a", text)
    assert [list(table.header), *(list(row) for _, row in table.rows)] == [
        [" ".join(cell.split()) for cell in row] for row in grid], text
    assert [table.line, *(line for line, _ in table.rows)] == lines, text


@together(("dialect", "text", "said"), [
    ("csv", "", ": is empty; a header is expected"),
    ("csv", "\n\n", ": is empty; a header is expected"),
    ("csv", 'a,b\n"1,2', ", line 2: is not CSV: unexpected end of data"),
    ("csv", "a,b\n1,2\n3\n", ", line 3, column 'b': 1 cells, fewer than the 2 of the header"),
    ("csv", "a,b\n1,2,3\n", ", line 2, column 'b': 3 cells, more than the 2 of the header"),
    ("md", "", ": no table: a header, a line of dashes and rows, with | between cells"),
    ("md", "a\n<table><td\n rowspan=2></td><td colspan=2>",
     ", line 3: cells are merged in HTML: write a table of pipes"),
    ("md", "a|b\n-|-|-\n", ", line 2, column 'b': the line of dashes has not as many cells as the "
     "header"),
    ("md", "|a|b|\n|-|-|\n|1|\n", ", line 3, column 'b': 1 cells, fewer than the 2 of the header"),
    ("tex", "a", r": no table: \begin{tabular} is expected"),
    ("tex", "\n\\begin{tabular}{l} a", r", line 2: \end{tabular} is missing"),
    ("tex", "\n\\begin{tabular}{l}\\hline\\end{tabular}", ", line 2: the table is empty"),
    ("tex", "\\begin{tabular}{ll}\na&b\\\\\n1\\\\\\end{tabular}",
     ", line 3, column 'b': 1 cells, fewer than the 2 of the header"),
    ("tex", "\\begin{tabular}{ll}\na&b&c\\\\\n1&\\multicolumn{2}{c}{x}\\\\\\end{tabular}",
     ", line 3, column 'b': a cell over 2 columns (x): give each column its own"),
    ("tex", "\\begin{tabular}{ll}\na&b\\\\\n1&\\multirow{-2}{*}{x}\\\\\\end{tabular}",
     ", line 3, column 'b': a cell over rows above it: give each its own")])
def test_what_is_no_table_is_refused_with_its_place(dialect: str, text: str, said: str) -> None:
    with pytest.raises(TableError) as caught:
        DIALECTS[dialect][0]("file.x", text)
    assert message(caught.value) == f"file.x{said}"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_bounds_are_reached_and_not_passed(dialect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read, write = DIALECTS[dialect]
    monkeypatch.setattr(cells, "MAX_ROWS", 3)
    monkeypatch.setattr(cells, "MAX_COLUMNS", 4)
    rng = random.Random(1)

    def grid(rows: int, columns: int, letters: int) -> str:
        return write([["a"] * columns, *[["b" * letters] * columns] * rows], rng)[0]

    assert len(read("a", grid(3, 4, cells.MAX_CELL)).rows) == 3
    for size, words in (((4, 4, 1), "more than 3 rows"), ((3, 5, 1), "more than 4 columns"),
                        ((3, 4, cells.MAX_CELL + 1), "a cell of more than")):
        with pytest.raises(TableError, match=words):
            read("a", grid(*size))


def test_commands_are_taken_off_a_cell_that_is_not_too_long() -> None:
    room = 8 * cells.MAX_CELL - len(r"\textbf{}")
    for more, wanted in ((0, room), (1, 8 * cells.MAX_CELL + 1)):
        assert len(latex_table._bare(rf"\textbf{{{(room + more) * 'x'}}}")) == wanted
