"""Tables as papers have them: CSV, Markdown, LaTeX; read within bounds, or refused with a place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from symparam.claims.tables import csv_table, latex_table, markdown_table
from symparam.claims.tables.cells import CellTable, TableError
from symparam.errors import FileError
from symparam.files.reading import read_text

SUFFIXES = (".csv", ".tsv", ".md", ".markdown", ".tex")
MAX_BYTES = 32 * 2**20


def is_table(word: str) -> bool:
    """Whether a word of a command line names a table: by its ending.

    >>> is_table("sizes.csv"), is_table("gpt2"), is_table("config.json")
    (True, False, False)
    """
    return word.lower().endswith(SUFFIXES)


def read_table(path: str | Path) -> CellTable:
    """The first table of a file.

    Raises:
        TableError: there is none, it is not regular, or it is beyond the bounds; row and column
            are named.
    """
    where = str(path)
    table = _reader(where)(where, _text(Path(path)))
    if not table.rows:
        raise TableError(where, table.line, "", "the table has a header and no rows")
    return table


def _reader(where: str) -> Callable[[str, str], CellTable]:
    ending = where.lower().rpartition(".")[2]
    return {"csv": csv_table.read, "tsv": csv_table.read, "tex": latex_table.read}.get(
        ending, markdown_table.read)


def _text(path: Path) -> str:
    try:
        return read_text(path, "a table", MAX_BYTES)
    except FileError as error:
        raise TableError(error.where, 0, "", error.problem) from None
