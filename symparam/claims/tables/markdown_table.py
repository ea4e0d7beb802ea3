"""Tables with pipes between the cells, as Markdown has them."""

from __future__ import annotations

import re

from symparam.claims.printed import plain
from symparam.claims.tables.cells import MAX_CELL, CellTable, TableError, bounded, regular

_RULE = re.compile(r":?-+:?")
_CELL = re.compile(r"(?<!\\)\|")
_MARKS = re.compile(r"\*\*|__|`|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^)]*\)")
_SPAN = re.compile(r"<t[dh][^>]*\b(?:col|row)span", re.I)


def read(where: str, text: str) -> CellTable:
    """The first table of a Markdown text.

    Raises:
        TableError: there is none, rows are ragged, or cells are merged by way of HTML.

    >>> read("a.md", "| name | P |\\n| --- | ---: |\\n| **ours** | 8B |\\n").rows
    ((3, ('ours', '8B')),)
    """
    lines = text.splitlines()
    start = next((i for i in range(1, len(lines)) if _is_rule(lines[i], lines[i - 1])), 0)
    if not start:
        merged = next((i for i, line in enumerate(lines, 1) if _SPAN.search(line)), 0)
        problem = ("cells are merged in HTML: write a table of pipes" if merged
                   else "no table: a header, a line of dashes and rows, with | between cells")
        raise TableError(where, merged, "", problem)
    header = tuple(_cells(lines[start - 1]))
    if len(_cells(lines[start])) != len(header):
        raise TableError(where, start + 1, header[-1],
                         "the line of dashes has not as many cells as the header")
    bounded(where, header, start, 0)
    rows = []
    for number, line in enumerate(lines[start + 1:], start + 2):
        if "|" not in line:
            break
        rows.append((number, regular(where, number, header, _cells(line))))
        bounded(where, header, number, len(rows))
    return CellTable(where, header, tuple(rows), start)


def _is_rule(line: str, above: str) -> bool:
    if "|" not in above or "-" not in line:
        return False
    inner = line.strip().removeprefix("|").removesuffix("|")
    return all(_RULE.fullmatch(cell.strip()) for cell in inner.split("|"))


def _cells(line: str) -> list[str]:
    inner = line.strip()
    inner = inner.removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [_bare(cell) for cell in _CELL.split(inner)]


def _bare(cell: str) -> str:
    """A cell without marks for bold, code and links; one that is too long as it stands."""
    if len(cell) > 4 * MAX_CELL:
        return cell
    text = _LINK.sub(r"\1", cell.replace("\\|", "|"))
    text = text.replace("&nbsp;", " ").replace("&#8209;", "-").replace("<br>", " ")
    return plain(_MARKS.sub("", text).replace("\\*", "*"))
