"""Pieces of documents in Markdown with mathematics between dollars.

GitHub reads Markdown before mathematics, so that a backslash before punctuation is lost: thin
spaces and line ends are written as words (``\\thinspace``, ``\\cr``), which KaTeX reads as well.
"""

from __future__ import annotations

from dataclasses import dataclass

from symparam.export.latex import LatexFormat

_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "|": "&#124;", "`": "&#96;", "$": "&#36;",
             "\\": "&#92;"}


def escape(text: str) -> str:
    """Any text as Markdown text: nothing in it is markup, nor HTML, nor mathematics.

    >>> escape("<script>|`a`$x$ d_model")
    '&lt;script&gt;&#124;&#96;a&#96;&#36;x&#36; d\\\\_model'
    """
    return "".join(_ENTITIES.get(c) or (f"\\{c}" if c in "*_[]~#" else c)
                   for c in " ".join(text.split("\n")))


@dataclass(frozen=True)
class MarkdownFormat(LatexFormat):
    """Spans, rows and cells in Markdown."""

    thin: str = r" \thinspace "

    def text(self, text: str) -> str:
        return escape(text)

    def strong(self, text: str) -> str:
        return f"**{escape(text)}**"

    def code(self, text: str) -> str:
        ticks = "``" if "`" in text else "`"
        pad = " " if "`" in text else ""
        return f"{ticks}{pad}{text.replace('|', '&#124;')}{pad}{ticks}"
