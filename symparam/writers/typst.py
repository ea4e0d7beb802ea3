"""Pieces of documents in Typst; the template puts them together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import field
from fractions import Fraction
from typing import ClassVar

from symparam import expression as ex
from symparam.arithmetic import EXTREMES
from symparam.dataclass import dataclass
from symparam.dims import dressed
from symparam.letters import SIGNS, Letter, of_matrix
from symparam.notation.notation import BRACKETS, LARGE, PRESETS, Notation
from symparam.writers.base import Format
from symparam.writers.chunks import Chunk
from symparam.writers.document import Cell, Equality, Math, Span, Table, clean
from symparam.writers.line_breaks import DisplayRow, Names, Piece, rows

_SPECIAL = re.compile(r"([\\#$*_`<>@~\[\]\"'/=+\-])|\.(?=\.)")
#: What would begin an entry of a numbered list, or a term, at the start of a line.
_MARKER = re.compile(r"^( *\d+)([.)])")
_FONTS = {"mathtt": "mono", "mathbf": "bold", "mathsf": "sans", "mathit": "italic"}
_COMMA = ' "," '
_ACCENTS = {"hat": "hat", "bar": "macron", "tilde": "tilde", "dot": "dot", "vec": "arrow"}
#: What may stand before a symbol.
_FRONTS = {"": "", "Δ": "Δ ", "∂": "∂ ", "∂ln ": "∂ ln ", "ⅆ": "upright(d) "}


def escape(text: str) -> str:
    r"""Any text as Typst's text: nothing in it is markup, code, a label or a comment.

    >>> print(escape("#f[x] d_model // $"))
    \#f\[x\] d\_model \/\/ \$
    """
    return _SPECIAL.sub(lambda found: "\\" + found[0], clean(text))


def quoted(text: str) -> str:
    r"""Any text as a string of Typst's.

    >>> print(quoted('a "b" \\c'))
    "a \"b\" \\c"
    """
    return '"' + clean(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def typst_of(letter: Letter) -> str:
    r"""A letter in Typst's mathematics.

    >>> print(typst_of(Letter("d", below=(Letter("model", "text"),))), typst_of(Letter("λ")))
    d_("model") λ
    """
    shown = _core(letter)
    for mark, script in (("_", letter.below), ("^", letter.above)):
        if script:
            shown += f"{mark}({' '.join(map(typst_of, script))})"
    return shown


def _core(letter: Letter) -> str:
    base, font = letter.base, letter.font
    if font in _FONTS:
        shown = f"{_FONTS[font]}({quoted(base)})"
    elif font or base in SIGNS or not (len(base) == 1 or base.isdigit()):
        shown = quoted(base.replace("-", "−"))
    else:
        shown = base
    return f"{_ACCENTS[letter.accent]}({shown})" if letter.accent else shown


@dataclass(frozen=True)
class TypstWriter(ex.Writer):
    """Expressions in Typst's mathematics.

    >>> print(TypstWriter().write(ex.Num(12) * ex.Sym("L") * ex.Sym("d_model") ** 2))
    12 thin L thin d_("model")^(2)
    """

    minus: str = " - "
    notation: Notation = PRESETS["paper"]

    def number(self, value: ex.Rational) -> str:
        if isinstance(value, Fraction):
            sign = "-" if value < 0 else ""
            return f"{sign}inline(frac({abs(value.numerator)}, {value.denominator}))"
        return quoted(f"{value:,}".replace("-", "−")) if abs(value) >= LARGE else str(value)

    def symbol(self, name: str) -> str:
        front, bare, mark = dressed(name)
        return _FRONTS[front] + typst_of(self.notation.letter(bare)) + ("'" if mark else "")

    def join(self, factors: list[str]) -> str:
        text = factors[0]
        for factor in factors[1:]:
            text += (" ⋅ " if factor.lstrip('"')[0].isdigit() else " thin ") + factor
        return text

    def quotient(self, expr: ex.Quotient) -> str:
        return f"frac({self.write(expr.top)}, {self.write(expr.bottom)})"

    def power(self, base: str, exponent: ex.Rational) -> str:
        return f"{base}^({str(exponent).replace('/', chr(92) + '/')})"

    def sqrt(self, expr: ex.Expr) -> str:
        return f"sqrt({self.write(expr)})"

    def rounded(self, inner: str, mode: str) -> str:
        opening, closing = BRACKETS[mode]
        return f"lr({opening} {inner} {closing})"

    def function(self, parts: list[str], name: str) -> str:
        shown = name if name in EXTREMES else f'op("{name.replace("_", " ")}")'
        return f"{shown} ({_COMMA.join(parts)})"


@dataclass(frozen=True)
class TypstFormat(Format):
    """Spans, rows of equations and cells in Typst, in one notation."""

    special: ClassVar[str] = "\\#$*_`<>@[]"

    notation: Notation = PRESETS["paper"]
    named: Names = field(default_factory=dict, compare=False, repr=False)
    symbols: ClassVar[bool] = True

    @property
    def writer(self) -> TypstWriter:
        """How expressions are written."""
        return TypstWriter(notation=self.notation)

    def text(self, text: str) -> str:
        return escape(text)

    def strong(self, text: str) -> str:
        return f"#strong[{escape(text)}]"

    def code(self, text: str) -> str:
        return f"#raw({quoted(text)})"

    def formula(self, math: Math) -> str:
        inner = self.writer.write(math.left)
        if math.right is not None:
            inner += f" {math.relation} {self.writer.write(math.right)}"
        return f"${inner}$"

    def names(self, names: Sequence[str]) -> str:
        return ", ".join(f"${typst_of(of_matrix(name))}$" for name in names)

    def line(self, parts: Iterable[Span]) -> str:
        """Running text that begins a line; nothing in it begins a list."""
        return _MARKER.sub(r"\1\\\2", self.spans(parts))

    def cell(self, cell: Cell) -> str:
        return _MARKER.sub(r"\1\\\2", super().cell(cell))

    def alignment(self, table: Table) -> str:
        """On which side the columns of a table stand."""
        return ", ".join(column.align for column in table.columns)

    def rows(self, equality: Equality) -> list[str]:
        """The rows of an aligned equation, broken between terms."""
        return [self._row(row) for row in rows(equality, self.notation, None, self.named)]

    def _row(self, row: DisplayRow) -> str:
        left = "" if row.left is None else self.writer.write(row.left)
        lead = "& " + "quad " * row.depth if row.depth else f"{left} & {row.relation} "
        return lead + "".join(self._piece(piece, i, row.depth)
                              for i, piece in enumerate(row.pieces))

    def _piece(self, piece: Piece, index: int, depth: int) -> str:
        sign = {"−": "-", "·": "⋅"}.get(piece.sign, piece.sign)
        joint = f" {sign} " if index or depth else sign
        opening = "".join(("" if front == ex.Num(1) else self.writer.factor(front) + " thin ")
                          + r"\( " for front in piece.fronts)
        return joint + opening + self._chunk(piece.chunk)

    def _chunk(self, chunk: Chunk) -> str:
        write = self.writer.factor if chunk.bracketed else self.writer.write
        inside = write(chunk.expr) + r" \)" * chunk.closes
        if chunk.label:
            names = _COMMA.join(typst_of(of_matrix(name)) for name in chunk.label)
            return f"underbrace({inside}, {names})"
        return inside
