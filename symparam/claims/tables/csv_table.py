"""Tables with commas, semicolons or tabs between the cells."""

from __future__ import annotations

import csv
import io

from symparam.claims.printed import plain
from symparam.claims.tables.cells import CellTable, TableError, bounded, regular

SEPARATORS = ",;\t"


def read(where: str, text: str) -> CellTable:
    """A table of a CSV text; the separator is the one that its first line has most of.

    Where that is a semicolon, commas are left for decimals.

    Raises:
        TableError: it has none, or rows are ragged.

    >>> read("a.csv", "name,P\\nours,8B\\n").rows
    ((2, ('ours', '8B')),)
    """
    lines = io.StringIO(text, newline="")
    first = next((line for line in text.splitlines() if line.strip()), "")
    mark = max(SEPARATORS, key=first.count)
    reader = csv.reader(lines, delimiter=mark, strict=True)
    header: tuple[str, ...] = ()
    top, rows = 0, list[tuple[int, tuple[str, ...]]]()
    before = 0
    try:
        for cells in reader:
            line, before = before + 1, reader.line_num
            if not any(cell.strip() for cell in cells):
                continue
            shown = [plain(cell) for cell in cells]
            if not header:
                header, top = tuple(shown), line
            else:
                rows.append((line, regular(where, line, header, shown)))
            bounded(where, header, line, len(rows))
    except csv.Error as error:
        raise TableError(where, reader.line_num, "", f"is not CSV: {error}") from None
    if not header:
        raise TableError(where, 0, "", "is empty; a header is expected")
    return CellTable(where, header, tuple(rows), top, commas=mark == ";")
