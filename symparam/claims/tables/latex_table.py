"""Tables of LaTeX's tabular, read without running anything."""

from __future__ import annotations

import re
from collections.abc import Iterator

from symparam.claims.printed import plain
from symparam.claims.tables.cells import MAX_CELL, CellTable, TableError, bounded, regular

_BEGIN = re.compile(r"\\begin\{(tabular[x*yu]?|longtable|tabulary)\}")
_COMMENT = re.compile(r"(?<!\\)%.*")
#: What is in brackets here is short: one that is never closed is not looked for to the end of the
#: file, again and again.
_RULES = re.compile(r"\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot"
                    r"|endlastfoot|(?:c|cmid)(?:line|rule)(?:\([^)]{0,99}\))?\{[^}]{0,99}\}"
                    r"|addlinespace(?:\[[^\]]{0,99}\])?|noalign\{[^}]{0,99}\}"
                    r"|specialrule(?:\{[^}]{0,99}\}){3})")
_WRAPPED = re.compile(r"\\(?:textbf|textit|texttt|textsc|textrm|emph|mathrm|mathbf|text|num"
                      r"|makecell|underline|mbox)\s*\{([^{}]*)\}")
_MANY = re.compile(r"\\multicolumn\s*\{(\d{1,3})\}\s*\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}\s*\{(.*)\}\s*",
                   re.S)
_DEEP = re.compile(r"\\multirow\s*(?:\[[^\]]*\])?\s*\{(-?\d{1,4})\}\s*(?:\[[^\]]*\])?\s*"
                   r"\{[^{}]*\}\s*\{(.*)\}\s*", re.S)
_COLOUR = re.compile(r"\\(?:rowcolor|cellcolor|color)(?:\[[^\]]{0,99}\])?\{[^{}]{0,99}\}")
_WORDS = {r"\,": " ", r"\;": " ", r"\:": " ", r"\!": "", "~": " ", r"\ ": " ", r"\quad": " ",
          r"\times": "×", r"\cdot": "·", r"\approx": "≈", r"\sim": "~", r"\%": "%", r"\_": "_",
          r"\#": "#", r"\&": "&", "{,}": ",", "$": "", r"\(": "", r"\)": "",
          r"\dagger": "†", r"\ddagger": "‡",
          r"\textsubscript": "_", r"\bfseries": "", r"\centering": "", "--": "–"}


def read(where: str, text: str) -> CellTable:
    """The first tabular of a LaTeX text.

    Raises:
        TableError: there is none, rows are ragged, or cells with numbers are merged.

    >>> read("a", r"\\begin{tabular}{lr} name & P \\\\ ours & $8$B \\\\ \\end{tabular}").rows
    ((1, ('ours', '8B')),)
    """
    found = _BEGIN.search(text)
    if found is None:
        raise TableError(where, 0, "", r"no table: \begin{tabular} is expected")
    end = text.find(rf"\end{{{found[1]}}}", found.end())
    if end < 0:
        line = text.count("\n", 0, found.start()) + 1
        raise TableError(where, line, "", rf"\end{{{found[1]}}} is missing")
    header: tuple[str, ...] = ()
    top, rows, below = 0, list[tuple[int, tuple[str, ...]]](), dict[int, tuple[int, str]]()
    for line, cells in _rows(text, found.end(), end):
        opened = _opened(where, line, cells, header, below)
        if not header:
            header, top = tuple(opened), line
        elif any(opened):
            rows.append((line, regular(where, line, header, opened)))
        bounded(where, header, line, len(rows))
    if not header:
        raise TableError(where, text.count("\n", 0, found.start()) + 1, "", "the table is empty")
    return CellTable(where, header, tuple(rows), top)


def _rows(text: str, start: int, end: int) -> Iterator[tuple[int, list[str]]]:
    """The rows between two places, as raw cells, each with its line."""
    position = _after_columns(text, start)
    line, counted = text.count("\n", 0, position) + 1, position
    for piece in re.split(r"(\\\\(?:\s*\[[^\]]{0,99}\])?|\\tabularnewline)", text[position:end]):
        at, position = position, position + len(piece)
        if piece.startswith((r"\\", r"\tabularnewline")):
            continue
        body = piece
        for no_cell in (_COMMENT, _RULES, _COLOUR):
            body = no_cell.sub(_blank, body)
        if body.strip():
            begins = at + len(body) - len(body.lstrip())
            line, counted = line + text.count("\n", counted, begins), begins
            yield line, re.split(r"(?<!\\)&", body)


def _blank(found: re.Match[str]) -> str:
    """Blanks as long as what was found, in as many lines: every cell stays where it is."""
    return re.sub(r"[^\n]", " ", found[0])


def _after_columns(text: str, start: int) -> int:
    """The place after the arguments that say what columns there are."""
    while start < len(text) and text[start] in "{[ \n":
        if text[start] in " \n":
            start += 1
            continue
        depth, start = 1, start + 1
        while start < len(text) and depth:
            depth += (text[start] in "{[") - (text[start] in "}]")
            start += 1
    return start


def _opened(where: str, line: int, cells: list[str], header: tuple[str, ...],
            below: dict[int, tuple[int, str]]) -> list[str]:
    """A row's cells as plain text, merged ones opened where that cannot be wrong."""
    found: list[str] = []
    for cell in cells:
        many = _MANY.fullmatch(cell.strip())
        width, inner = (int(many[1]), many[2]) if many else (1, cell)
        text = _deep(where, line, inner, header, found, below)
        if width > 1 and header and text and len(cells) > 1:
            title = header[min(len(found), len(header) - 1)]
            raise TableError(where, line, title, f"a cell over {width} columns ({text}): give each "
                             "column its own")
        whole_row = width > 1 and len(cells) == 1 and header
        found += [""] * width if whole_row else [text, *[""] * (width - 1)]
    return found


def _deep(where: str, line: int, cell: str, header: tuple[str, ...], found: list[str],
          below: dict[int, tuple[int, str]]) -> str:
    """A cell's text; one over several rows is that of each of them."""
    place = len(found)
    deep = _DEEP.fullmatch(cell.strip())
    if deep:
        if int(deep[1]) < 1:
            title = header[min(place, len(header) - 1)] if header else ""
            raise TableError(where, line, title, "a cell over rows above it: give each its own")
        text = _bare(deep[2])
        if header:
            below[place] = (int(deep[1]) - 1, text)
        return text
    text = _bare(cell)
    left, above = below.get(place, (0, ""))
    if left and header:
        below[place] = (left - 1, above)
        return text or above
    return text


def _bare(cell: str) -> str:
    """A cell without commands; one that is too long as it stands."""
    if len(cell) > 8 * MAX_CELL:
        return cell
    text = cell
    for _ in range(8):
        text, before = _WRAPPED.sub(r"\1", text), text
        if text == before:
            break
    for command, word in _WORDS.items():
        text = text.replace(command, word)
    text = re.sub(r"\^\{?([*†‡a-z])\}?", r"\1", text)
    return plain(text.replace("{", "").replace("}", ""))
