"""Pieces of documents in LaTeX; the templates put them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.letters import of_matrix
from symparam.notation.notation import PAGE, PRESETS, USUAL, LatexWriter, Notation, latex_of
from symparam.showable import tex as escape
from symparam.writers.base import Format
from symparam.writers.document import Cell, Chunk, Equality, Math, Table
from symparam.writers.line_breaks import DisplayRow, Piece, is_pushed, rows
from symparam.writers.tabular import Tabular, tabular


def matrix(name: str) -> str:
    r"""A matrix's name in math: ``W_Q`` with a subscript, words upright.

    >>> print(matrix("W_Q"), matrix("gate"), matrix("b_up"))
    W_Q \text{gate} b_{\text{up}}
    """
    return latex_of(of_matrix(name))


@dataclass(frozen=True)
class LatexFormat(Format):
    """Spans, rows of equations and cells in LaTeX, in one notation.

    Attributes:
        notation: how dims are written.
        inline: what opens and closes mathematics in running text.
        thin: the space between factors (Markdown cannot hold a backslash before a comma).
        before: what stands before an equals sign that follows a symbol.
    """

    notation: Notation = PRESETS["paper"]
    inline: tuple[str, str] = ("$", "$")
    thin: str = r" \, "
    before: str = ""
    apart: ClassVar[bool] = True  # a left side of no room stands on a row of its own

    @property
    def writer(self) -> LatexWriter:
        """How expressions are written."""
        return LatexWriter(notation=self.notation, thin=self.thin)

    @property
    def centimetres(self) -> str:
        """The width of a page's text for which lines are broken."""
        return f"{self.notation.page * USUAL / PAGE:.2g}"

    def math(self, expr: ex.Expr) -> str:
        """An expression, without anything around it."""
        return self.writer.write(expr)

    def text(self, text: str) -> str:
        return (self.before if text.startswith("=") else "") + escape(text)

    def strong(self, text: str) -> str:
        return rf"\textbf{{{escape(text)}}}"

    def code(self, text: str) -> str:
        return rf"\texttt{{{escape(text)}}}"

    def formula(self, math: Math) -> str:
        inner = self.math(math.left)
        if math.right is not None:
            inner += f" {_relation(math.relation)} {self.math(math.right)}"
        return self.inlined(inner)

    def names(self, names: Sequence[str]) -> str:
        return ", ".join(self.inlined(matrix(name)) for name in names)

    def inlined(self, inner: str) -> str:
        """Mathematics within running text, by what opens and closes it."""
        return f"{self.inline[0]}{inner}{self.inline[1]}"

    def rows(self, equality: Equality) -> list[str]:
        """The rows of an aligned equation, broken between terms."""
        found = [self._row(row) for row in rows(equality, self.notation)]
        if self.apart and is_pushed(equality, self.notation):
            left, _, right = found[0].partition(" &")
            found[:1] = [rf"\rlap{{$\displaystyle {left}$}}", rf"&\quad {right}"]
        return found

    def _row(self, row: DisplayRow) -> str:
        if row.depth:
            lead = r"&\qquad {} " if row.depth == 1 else r"&\qquad\quad "
        else:
            left = "" if row.left is None else self.math(row.left)
            lead = f"{left} &{_relation(row.relation)} "
        return lead + "".join(self._piece(piece, i, row.depth)
                              for i, piece in enumerate(row.pieces))

    def _piece(self, piece: Piece, index: int, depth: int) -> str:
        sign = "-" if piece.sign == "−" else piece.sign
        joint = f" {sign} " if index else f"{sign} " if sign and depth else sign
        opening = "".join(("" if front == ex.Num(1) else self.writer.factor(front) + self.thin)
                          + r"\bigl(" for front in piece.fronts)
        return joint + opening + (self._chunk(piece.chunk) if piece.chunk else "")

    def _chunk(self, chunk: Chunk) -> str:
        write = self.writer.factor if chunk.bracketed else self.writer.write
        inside = write(chunk.expr)
        inside += r"\bigr)" * chunk.closes
        if chunk.label:
            return rf"\underbrace{{{inside}}}_{{{self._names(chunk.label)}}}"
        return inside

    def _names(self, names: Sequence[str]) -> str:
        return f",{self.thin}".join(map(matrix, names))

    def wrapped(self, cell: Cell) -> str:
        """A cell of a column that wraps: its lines end between words and between factors."""
        loose = replace(self, thin=self.thin + r"\allowbreak ", before=r"\allowbreak{}")
        return r"\raggedright " + loose.cell(cell)

    def tabular(self, table: Table) -> Tabular:
        """How a table is set so that it fits the page: its size, and columns that wrap."""
        return tabular(table, self.notation)


def _relation(sign: str) -> str:
    return {"≈": r"\approx", "≤": r"\le", "≠": r"\ne"}.get(sign, sign)

