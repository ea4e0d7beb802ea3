"""Pieces of documents in Markdown with mathematics between dollars.

GitHub reads Markdown before mathematics, so that a backslash before punctuation is lost: thin
spaces and line ends are written as words (``\\thinspace``, ``\\cr``), which KaTeX reads as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from symparam.export.document import Cell, Span, cell_spans, clean
from symparam.export.latex import LatexFormat

_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "|": "&#124;", "`": "&#96;", "$": "&#36;",
             "\\": "&#92;"}


#: What would begin a list, a heading's underline or a quotation at the start of a line.
_MARKER = re.compile(r"^( ?)(\d*)([-+=.)])")


def escape(text: str) -> str:
    """Any text as Markdown text: nothing in it is markup, nor HTML, nor mathematics.

    >>> escape("<script>|`a`$x$ d_model")
    '&lt;script&gt;&#124;&#96;a&#96;&#36;x&#36; d\\\\_model'
    """
    line = re.sub(r" {2,}", " ", clean(text))
    return "".join(_ENTITIES.get(c) or (f"\\{c}" if c in "*_[]~#" else c) for c in line)


@dataclass(frozen=True)
class MarkdownFormat(LatexFormat):
    """Spans, rows and cells in Markdown."""

    thin: str = r" \thinspace "

    def text(self, text: str) -> str:
        return escape(text)

    def strong(self, text: str) -> str:
        return f"**{escape(text)}**"

    def code(self, text: str) -> str:
        text = clean(text)
        longest = max(map(len, re.findall("`+", text)), default=0)
        ticks, pad = "`" * (longest + 1), " " if longest else ""
        return f"{ticks}{pad}{text}{pad}{ticks}"

    def line(self, parts: Iterable[Span]) -> str:
        """Running text that begins a line; nothing in it begins a list or the like."""
        return _MARKER.sub(r"\1\2\\\3", self.spans(parts))

    def cell(self, cell: Cell) -> str:
        return self.spans(cell_spans(cell)).replace("|", "\\|")
