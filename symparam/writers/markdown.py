"""Pieces of documents in Markdown with mathematics between dollars, in two dialects.

GitHub reads Markdown before mathematics. A backslash before punctuation is lost: thin spaces and
line ends are written as words (``\\thinspace``, ``\\cr``). A subscript after a brace begins
emphasis. What holds one of these stands between the other marks that GitHub knows, those of code,
which protect it (github/markup, issue 1575). MkDocs with arithmatex, Jupyter and most others set
mathematics aside first, and show it by KaTeX or MathJax.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from symparam.dataclass import dataclass
from symparam.writers.document import Cell, Display, Span, clean
from symparam.writers.latex import LatexFormat

_ENTITIES = {c: f"&#{ord(c)};" for c in "|`~^[]"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
#: A browser that looks for mathematics once more sees these again; it looks at each element alone.
_ENTITIES |= {c: f"<span>&#{ord(c)};</span>" for c in "$\\"}
_BACKSLASHED = "*_#{}"

#: What would begin a list, a heading's underline, a quotation or a block at the start of a line.
_MARKER = re.compile(r"^( ?)(\d*)([-+=.):!?/%])")
#: What extensions make marks, edits, snippets and pictures of: runs of signs, and :names:.
_RUN = re.compile(r"([-+=:])\1+|:(?=[\w+-]+:)")
#: What Markdown takes for its own: backslashes before punctuation, emphasis, HTML.
_LOST = re.compile(r"\\[!-/:-@\[-`{-~]|(?<![A-Za-z0-9])_|[*<>~]")


def escape(text: str) -> str:
    """Any text as Markdown text: nothing in it is markup, nor HTML, nor mathematics.

    >>> escape("<script>|`a` d_model"), escape("$")
    ('&lt;script&gt;&#124;&#96;a&#96; d\\\\_model', '<span>&#36;</span>')
    """
    line = re.sub(r" {2,}", " ", clean(text))
    shown = "".join(_ENTITIES.get(c) or (f"\\{c}" if c in _BACKSLASHED else c) for c in line)
    return _RUN.sub(lambda run: _numbered(run[0]), shown)


def _numbered(text: str) -> str:
    return "".join(f"&#{ord(c)};" for c in text)


@dataclass(frozen=True)
class MarkdownFormat(LatexFormat):
    """Spans, rows and cells in Markdown as GitHub reads it.

    Attributes:
        newline: what ends a row of an equation.
    """

    thin: str = r" \thinspace "
    newline: str = r"\cr"
    symbols: ClassVar[bool] = False
    apart: ClassVar[bool] = False  # a page on a screen scrolls
    special: ClassVar[str] = "\\`*_[]<>&#$|"

    def source(self, text: str) -> str:
        return self.text(text)

    def text(self, text: str) -> str:
        return escape(text)

    def strong(self, text: str) -> str:
        return f"**{escape(text)}**"

    def code(self, text: str) -> str:
        text = clean(text)
        longest = max(map(len, re.findall("`+", text)), default=0)
        ticks, pad = "`" * (longest + 1), " " if longest else ""
        return f"{ticks}{pad}{text}{pad}{ticks}"

    def inlined(self, inner: str) -> str:
        return f"$`{inner}`$" if _LOST.search(inner) else f"${inner}$"

    def fence(self, display: Display) -> tuple[str, str]:
        """The lines before and after displayed equations."""
        written = [row for equality in display.equalities for row in self.rows(equality)]
        return ("```math", "```") if any(map(_LOST.search, written)) else ("$$", "$$")

    def line(self, parts: Iterable[Span]) -> str:
        """Running text that begins a line; nothing in it begins a list or the like."""
        return _MARKER.sub(lambda m: m[1] + m[2] + _numbered(m[3]), self.spans(parts))

    def cell(self, cell: Cell) -> str:
        return super().cell(cell).replace("|", "\\|")


@dataclass(frozen=True)
class MkdocsFormat(MarkdownFormat):
    """Spans, rows and cells in Markdown as Python-Markdown with arithmatex reads it, or Jupyter."""

    thin: str = r" \, "
    newline: str = r"\\"

    def code(self, text: str) -> str:
        plain = not set("|`{}[]^$<>") & set(text) and not _RUN.search(text)
        return super().code(text) if plain else f"<code>{escape(text)}</code>"

    def inlined(self, inner: str) -> str:
        return f"${inner}$"

    def fence(self, display: Display) -> tuple[str, str]:
        return "$$", "$$"

    def cell(self, cell: Cell) -> str:
        return super(MarkdownFormat, self).cell(cell)
