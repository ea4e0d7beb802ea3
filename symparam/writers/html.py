"""Pieces of documents in HTML with MathML; nothing that a name holds is markup.

Whatever is put together here is :class:`markupsafe.Markup`, which escapes all plain text that
meets it. A piece that forgot to be markup shows its tags; it cannot become live.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from markupsafe import Markup, escape

from symparam.dataclass import dataclass
from symparam.notation.notation import PRESETS, Notation
from symparam.writers.base import Format
from symparam.writers.chunks import Chunk
from symparam.writers.document import Cell, Column, Equality, Math, cell_spans, clean
from symparam.writers.line_breaks import DisplayRow, Piece, rows
from symparam.writers.mathml import MathmlWriter, braced, closed, element, names_below

#: What draws the branches of a tree before a name, which nobody wants read aloud.
_BRANCH = re.compile("[│├└─]+[│├└─ ]*")
#: The space before a line that goes on, by its depth.
_INDENT = {0: Markup(""), 1: Markup('<mspace width="2em"></mspace>'),
           2: Markup('<mspace width="3em"></mspace>')}


@dataclass(frozen=True)
class HtmlFormat(Format):
    """Spans, rows of equations and cells in HTML, in one notation.

    Attributes:
        notation: how dims are written.
        top: the level of the document's title among headings.
        inline: whether cells say themselves how they are aligned: a notebook's own style sets all
            to the right otherwise.
    """

    nothing: ClassVar[str] = Markup("")
    special: ClassVar[str] = "<>&\""
    symbols: ClassVar[bool] = True

    notation: Notation = PRESETS["paper"]
    top: int = 1
    inline: bool = False

    @property
    def writer(self) -> MathmlWriter:
        """How expressions are written."""
        return MathmlWriter(notation=self.notation)

    def level(self, level: int) -> int:
        """The level of a heading below the title; there are six."""
        return min(level + self.top - 1, 6)

    def text(self, text: str) -> str:
        """Plain words, escaped.

        >>> print(HtmlFormat().text("<script>"))
        &lt;script&gt;
        """
        shown = clean(text)
        if branch := _BRANCH.match(shown):
            drawn = Markup('<span class="branch" aria-hidden="true">{}</span>').format(branch[0])
            return drawn + shown[branch.end():]
        return escape(shown)

    def strong(self, text: str) -> str:
        return element("strong", clean(text))

    def code(self, text: str) -> str:
        return element("code", clean(text))

    def formula(self, math: Math) -> str:
        inner = escape(self.writer.write(math.left))
        if math.right is not None:
            inner += element("mo", math.relation) + self.writer.write(math.right)
        return element("math", inner)

    def names(self, names: Sequence[str]) -> str:
        return Markup(", ").join(element("math", names_below([name])) for name in names)

    def look(self, column: Column, cell: Cell) -> str:
        """The attribute that says how a cell is set: numbers to the right, formulas in one line."""
        parts = cell_spans(cell)
        words = any(isinstance(part, str) and len(part.strip()) > 1 for part in parts)
        formula = not words and any(isinstance(part, Math) for part in parts)
        name = "num" if column.align == "right" else "tight" if formula else ""
        return self._set(column, name)

    def heading(self, column: Column) -> str:
        """The attribute that says how the title of a column is set."""
        return self._set(column, "num" if column.align == "right" else "")

    def _set(self, column: Column, name: str) -> Markup:
        found = Markup(' class="{}"').format(name) if name else Markup("")
        if self.inline:
            found += Markup(' style="text-align: {}"').format(column.align)
        return found

    def rows(self, equality: Equality) -> list[str]:
        """The rows of an aligned equation: a left side, and what is related to it."""
        return [self._row(row) for row in rows(equality, self.notation)]

    def _row(self, row: DisplayRow) -> str:
        left = "" if row.left is None else self.writer.write(row.left)
        relation = element("mo", row.relation, form="infix") if row.relation else Markup("")
        inside = (self._piece(piece, i, row.depth) for i, piece in enumerate(row.pieces))
        right = relation + _INDENT[row.depth] + Markup("").join(inside)
        return element("mtr", element("mtd", left) + element("mtd", right))

    def _piece(self, piece: Piece, index: int, depth: int) -> Markup:
        between = {"form": "infix"} if index or depth else {"form": "prefix"}
        sign = (element("mo", piece.sign.replace("·", "⋅"), **between)
                if piece.sign else Markup(""))
        opening = self.writer.opened(piece.fronts)
        return sign + opening + self._chunk(piece.chunk)

    def _chunk(self, chunk: Chunk) -> Markup:
        write = self.writer.factor if chunk.bracketed else self.writer.write
        inside = escape(write(chunk.expr)) + closed(chunk.closes)
        return braced(inside, chunk.label) if chunk.label else inside
