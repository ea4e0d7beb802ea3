"""Pieces of documents in LaTeX; the templates put them together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field, replace
from typing import ClassVar

from symparam import expression as ex
from symparam.bibliography import Citation, cited
from symparam.dataclass import dataclass
from symparam.letters import of_matrix
from symparam.notation.notation import PRESETS, USUAL, LatexWriter, Notation, latex_of
from symparam.showable import tex as escape
from symparam.writers.base import Format
from symparam.writers.chunks import Chunk
from symparam.writers.columns import ragged
from symparam.writers.document import Cell, Display, Equality, Math, Table
from symparam.writers.line_breaks import DisplayRow, Names, Piece, Ruler, rows, width
from symparam.writers.metrics import EM
from symparam.writers.tabular import SetTable, Tabular, set_tables, shortened, tabular

#: The space between a number and its unit (a thin one before a sign), products of numbers,
#: powers, words that are long, names with numbers and dashes, and marks within a name behind
#: which it may be broken.
_UNIT = re.compile(r"(?<=\d) (?=(?:[kKMGT]i?B|[KMGTPEZ]?FLOPs?|[BKMT])(?!\w)|\\%)")
_WORD = re.compile(r"(?<=\d) (?=(?:byte|bit)s?\b)")
_TIMES = re.compile(r"(?<=\d)(?: (tokens))? \$\\times\$ (?=\d)")
_POWER = re.compile(r"(?<![\w.])(\d+)\\textasciicircum\{\}(\d+)(?!\w)")
LONG = 20  # letters
_LONG = re.compile(rf"[^\s${{}}]{{{LONG},}}")
_PART = r"(?:\w|\\_|\.(?=\w))+"
_NUMBERED = re.compile(rf"(?<![\w{{}}\\$.-])(?=[\w.\\-]*\d){_PART}(?:-{_PART})+(?![\w{{}}\\$-])")
_MARKS = re.compile(r"(?<=[\w\]}*])([.:,](?!\d)|[/-]|\\_)(?=[\w\[*\\])")

#: A word of a program without such marks, and where a word begins in it.
_JOINED = re.compile(r"[A-Za-z0-9]{24,}")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z][a-z])")

#: The room in points left of the signs below a left side that stands on a line of its own.
PUSHED = 2.5 * EM


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
        loose: whether lines may end between factors, and within long names.
        named: sums that have a name in the document, which is the same all through it.
    """

    special: ClassVar[str] = "\\{}$&#^_~%"

    notation: Notation = PRESETS["paper"]
    inline: tuple[str, str] = ("$", "$")
    thin: str = r" \, "
    loose: bool = False
    named: Names = field(default_factory=dict, compare=False, repr=False)
    symbols: ClassVar[bool] = True
    apart: ClassVar[bool] = True  # what has no room gets a row, or a name, of its own

    @property
    def writer(self) -> LatexWriter:
        """How expressions are written."""
        return LatexWriter(notation=self.notation, thin=self.thin)

    @property
    def centimetres(self) -> str:
        """The width of a page's text for which lines are broken, in cm."""
        return f"{float(self.notation.width):g}"

    @property
    def geometry(self) -> str:
        """The page of a document that stands alone: A4, or wider where the text is."""
        width = self.notation.width
        return "margin=25mm" if width == USUAL else (
            f"paperwidth={max(21, float(width) + 5):g}cm,textwidth={self.centimetres}cm,"
            "hcentering,vmargin=25mm")

    def math(self, expr: ex.Expr) -> str:
        """An expression, without anything around it."""
        return self.writer.write(expr)

    def text(self, text: str) -> str:
        shown = _WORD.sub("~", _UNIT.sub(r"\,", escape(text)))
        shown = _POWER.sub(lambda power: self.inlined(f"{power[1]}^{{{power[2]}}}"), shown)
        shown = _TIMES.sub(lambda found: f"{f'~{found[1]}' * bool(found[1])}~$\\times$~", shown)
        return _LONG.sub(lambda word: _broken(word[0]), shown)

    def words(self, text: str) -> str:
        return _kept(super().words(text)) if self.symbols else super().words(text)

    def strong(self, text: str) -> str:
        return rf"\textbf{{{_kept(self.text(text))}}}"

    def code(self, text: str) -> str:
        shown = escape(text)
        parted = _broken(shown) if self.loose else _LONG.sub(lambda word: _broken(word[0]), shown)
        return rf"\texttt{{{parted}}}"

    def source(self, text: str) -> str:
        """Where something is from; cited by its key where the notation says with what."""
        if not self.notation.cite:
            return self.text(text)
        return "".join(escape(each) if isinstance(each, str) else self._citation(each)
                       for each in cited(text))

    def beside(self, text: str) -> str:
        return self.source(text) if self.notation.cite == "citep" else super().beside(text)

    def _citation(self, each: Citation) -> str:
        where = f"[{escape(each.where).replace(']', '{]}')}]" if each.where else ""
        return rf"\{self.notation.cite}{where}{{{each.record.key}}}"

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

    @property
    def _naming(self) -> Names | None:
        return self.named if self.apart else None

    def rows(self, equality: Equality) -> list[str]:
        """The rows of an aligned equation, broken between terms."""
        return list(map(self._row, rows(equality, self.notation, None, self._naming)))

    def groups(self, display: Display) -> list[list[str]]:
        """The rows of displayed equations that are aligned with each other; a long left side
        stands apart, so that it takes no room from the others."""
        together = self._aligned(display.equalities)
        if len(display.equalities) == 1 or not self._too_wide(together):
            return [self._single(display.equalities[0], together)
                    if len(display.equalities) == 1 else list(map(self._row, together))]
        return [self._single(each, self._aligned([each])) for each in display.equalities]

    def _aligned(self, equalities: Sequence[Equality]) -> list[DisplayRow]:
        """The rows of equations whose signs stand below each other."""
        ruler, lead = Ruler(self.notation), 0.0
        while True:
            found = [row for each in equalities
                     for row in rows(each, self.notation, lead, self._naming)]
            widest = max(ruler.width(row.left) for row in found if row.left is not None)
            if widest <= lead:
                return found
            lead = widest

    def _too_wide(self, found: Sequence[DisplayRow]) -> bool:
        return sum(width(found, self.notation)) > self.notation.page

    def _single(self, equality: Equality, found: list[DisplayRow]) -> list[str]:
        """The rows of an equation alone: its left side on a line of its own where it is long and
        leaves too little room."""
        left = Ruler(self.notation).width(equality.left)
        if not (self.apart and left > PUSHED and self._too_wide(found)):
            return list(map(self._row, found))
        first, *others = rows(equality, self.notation, PUSHED, self._naming)
        below = [replace(first, left=None), *others]
        return [rf"\rlap{{$\displaystyle {self.math(equality.left)}$}}",
                *(row if row[0] != "&" else rf"&\quad {row[1:]}"
                  for row in (self._row(each).lstrip() for each in below))]

    def _row(self, row: DisplayRow) -> str:
        if row.depth:
            lead = r"&\quad {}" if row.depth == 1 else r"&\qquad\quad {}"
        else:
            left = "" if row.left is None else self.math(row.left)
            lead = f"{left} &{_relation(row.relation)} "
        return lead + "".join(self._piece(piece, i, row.depth)
                              for i, piece in enumerate(row.pieces))

    def _piece(self, piece: Piece, index: int, depth: int) -> str:
        sign = {"−": "-", "·": r"\cdot"}.get(piece.sign, piece.sign)
        joint = f" {sign} " if index or depth else sign
        opening = "".join(("" if front == ex.Num(1) else self.writer.factor(front) + self.thin)
                          + r"\bigl(" for front in piece.fronts)
        return joint + opening + self._chunk(piece.chunk)

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
        return ragged(self._loose.cell(cell))

    def tabular(self, table: Table) -> Tabular:
        """How a table is set on one page: its size, and columns that wrap."""
        return tabular(table, self.notation, self._cells, self._loose._cells)

    def tables(self, table: Table) -> list[SetTable]:
        """A table as one or more that fit the page (see :class:`SetTable`)."""
        found = list(set_tables(table, self.notation, self._cells, self._loose._cells))
        if any(each.lines > len(each.rows) for each in found):
            shorter, used = shortened(table, self.named)
            if used:
                found = list(set_tables(shorter, self.notation, self._cells, self._loose._cells))
                notes = [self.formula(Math(name, "=", part)) for part, name in used.items()]
                found[-1] = replace(found[-1], notes=tuple(notes))
        return found

    @property
    def _loose(self) -> LatexFormat:
        return replace(self, thin=self.thin + r"\penalty900 ", loose=True)

    def _cells(self, row: Sequence[Cell]) -> tuple[str, ...]:
        return tuple(map(self.cell, row))


def _kept(text: str) -> str:
    r"""A text whose names with numbers and dashes stay on a line, where they are not long.

    >>> print(_kept("a key-value pair of qwen3-30b-a3b, GPT-2"))
    a key-value pair of \mbox{qwen3-30b-a3b}, \mbox{GPT-2}
    """
    return _NUMBERED.sub(r"\\mbox{\g<0>}", text)


def _broken(name: str) -> str:
    """A name whose lines may end behind its points, strokes and dashes, and before the capitals
    of a long word.

    >>> _broken("gemma-4"), _broken("Gemma4AudioSubSampleConvProjection").count("allowbreak")
    ('gemma-\\\\allowbreak{}4', 5)
    """
    humps = _JOINED.sub(lambda word: _HUMP.sub(r"\\allowbreak{}", word[0]), name)
    return _MARKS.sub(r"\1\\allowbreak{}", humps)


def _relation(sign: str) -> str:
    return {"≈": r"\approx", "≤": r"\le", "≠": r"\ne"}.get(sign, sign)

