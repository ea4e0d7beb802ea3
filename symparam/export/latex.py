"""Pieces of documents in LaTeX; the templates put them together."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from symparam import expression as ex
from symparam.export.document import (
    Braced,
    Cell,
    Chunk,
    Code,
    Equality,
    Label,
    Math,
    Span,
    Strong,
    Table,
    cell_spans,
    chunks,
)
from symparam.export.notation import PRESETS, LatexWriter, Notation
from symparam.export.tabular import Tabular, tabular
from symparam.export.text import TextFormat

_SPECIAL = {"\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&",
            "#": r"\#", "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}",
            "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
            "|": r"\textbar{}", '"': "''", "[": "{[}",  # (a bracket after \item is an option)
            "├": r"\quad", "└": r"\quad", "─": ""}
_MATH_CHARACTERS = {"·": r"$\cdot$", "×": r"$\times$", "−": "$-$", "≈": r"$\approx$",
                    "²": r"$^2$", "∂": r"$\partial$", "√": r"$\sqrt{\ }$", "≤": r"$\le$",
                    "≥": r"$\ge$", "—": "---", "–": "--", "…": r"\dots{}"}
#: Accents that the oldest font encoding has: grave, acute, circumflex, tilde, macron, dots,
#: ring, double acute, caron, cedilla.
_ACCENTS = frozenset("\u0300\u0301\u0302\u0303\u0304\u0307\u0308\u030a\u030b\u030c\u0327")
_WORD = re.compile(r"^([A-Za-z])_([A-Za-z])$")


def escape(text: str) -> str:
    r"""Any text as LaTeX text: nothing in it is a command.

    >>> print(escape(r"$\input{../secret}$ 50% _"))
    \$\textbackslash{}input\{../secret\}\$ 50\% \_
    """
    table = {**_SPECIAL, **_MATH_CHARACTERS}
    parts = text.split("--")  # which would be set as a dash
    return "-{}-".join("".join(table[c] if c in table else _character(c) for c in part)
                       for part in parts)


def _character(c: str) -> str:
    """A character as it stands if every LaTeX can set it, else its code point."""
    parts = unicodedata.normalize("NFD", c)
    plain = ord(parts[0]) < 128 and ord(c) < 0x180 and _ACCENTS.issuperset(parts[1:])
    if c.isprintable() and plain:
        return c
    return " " if c.isspace() or not c.isprintable() else rf"\texttt{{U+{ord(c):04X}}}"


def matrix(name: str) -> str:
    r"""A matrix's name in math: ``W_Q`` with a subscript, words upright.

    >>> print(matrix("W_Q"), matrix("gate"), matrix("b_up"))
    W_Q \text{gate} b_{\text{up}}
    """
    if len(name) == 1 or _WORD.match(name):
        return name
    stem, _, rest = name.partition("_")
    if rest and len(stem) == 1:
        return rf"{stem}_{{\text{{{escape(rest)}}}}}"
    return rf"\text{{{escape(name)}}}"


@dataclass(frozen=True)
class LatexFormat:
    """Spans, rows of equations and cells in LaTeX, in one notation.

    Attributes:
        notation: how dims are written.
        inline: what opens and closes mathematics in running text.
        thin: the space between factors (Markdown cannot hold a backslash before a comma).
    """

    notation: Notation = PRESETS["paper"]
    inline: tuple[str, str] = ("$", "$")
    thin: str = r" \, "

    @property
    def writer(self) -> LatexWriter:
        """How expressions are written."""
        return LatexWriter(notation=self.notation, thin=self.thin)

    def math(self, expr: ex.Expr) -> str:
        """An expression, without anything around it."""
        return self.writer.write(expr)

    def text(self, text: str) -> str:
        """Plain words."""
        return escape(text)

    def strong(self, text: str) -> str:
        """Words that stand out."""
        return rf"\textbf{{{escape(text)}}}"

    def code(self, text: str) -> str:
        """Words that are typed as they stand."""
        return rf"\texttt{{{escape(text)}}}"

    def spans(self, parts: Iterable[Span]) -> str:
        """Running text."""
        return "".join(self._span(part) for part in parts)

    def _span(self, part: Span) -> str:
        opening, closing = self.inline
        match part:
            case str():
                return self.text(part)
            case Math(left, relation, right):
                inner = self.math(left)
                if right is not None:
                    inner += f" {_relation(relation)} {self.math(right)}"
                return f"{opening}{inner}{closing}"
            case Strong(text):
                return self.strong(text)
            case Code(text):
                return self.code(text)
            case Label(names):
                return ", ".join(f"{opening}{matrix(name)}{closing}" for name in names)
        raise TypeError(part)

    def cell(self, cell: Cell) -> str:
        """A cell of a table; Markdown and LaTeX alike."""
        return self.spans(cell_spans(cell))

    def rows(self, equality: Equality) -> list[str]:
        """The rows of an aligned equation, broken between terms."""
        found: list[str] = []
        for i, (relation, terms) in enumerate(equality.sides):
            lead = (self.math(equality.left) if i == 0 else "") + f" &{_relation(relation)} "
            found += self._side(lead, terms)
        return found

    def _side(self, lead: str, terms: Sequence[Braced]) -> list[str]:
        measure, line = TextFormat(self.notation, 10**6), self.notation.line
        rows, row, used = [], lead, 0
        for i, chunk in enumerate(chunks(terms, line, measure.length)):
            size = len(measure.chunk(replace(chunk, label=()))) + 3
            sign = "-" if chunk.sign == "−" else "+"
            joint = (f" {sign} " if i else "") if sign == "+" or i else "-"
            if i and used + size > line:
                rows.append(row)
                row, used, joint = r"&\qquad {} ", 6, f"{sign} "
            opening = self._opening(chunk)
            if opening and used + size > line:
                rows.append(row + joint + opening)
                row, used, joint, opening = r"&\qquad\quad ", 6, "", ""
            row += joint + opening + self._chunk(chunk)
            used += size
        return [*rows, row]

    def _opening(self, chunk: Chunk) -> str:
        """What stands before the brackets that open here, and the brackets."""
        return "".join(("" if front == ex.Num(1) else self.writer.factor(front) + self.thin)
                       + r"\bigl(" for front in chunk.fronts)

    def _chunk(self, chunk: Chunk) -> str:
        write = self.writer.factor if chunk.bracketed else self.writer.write
        inside = write(chunk.expr)
        inside += r"\bigr)" * chunk.closes
        if chunk.label:
            return rf"\underbrace{{{inside}}}_{{{self._names(chunk.label)}}}"
        return inside

    def _names(self, names: Sequence[str]) -> str:
        return f",{self.thin}".join(map(matrix, names))

    def tabular(self, table: Table) -> Tabular:
        """How a table is set so that it fits the page: its size, and columns that wrap."""
        return tabular(table, self.notation)


def _relation(sign: str) -> str:
    return {"≈": r"\approx", "≤": r"\le", "≠": r"\ne"}.get(sign, sign)

