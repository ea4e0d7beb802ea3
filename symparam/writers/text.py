"""Documents in plain text, 80 columns, for a terminal or a file."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.notation.notation import PRESETS, Notation, TextWriter
from symparam.writers.document import (
    Block,
    Braced,
    Cell,
    Chunk,
    Code,
    Display,
    Document,
    Equality,
    Heading,
    Items,
    Label,
    Math,
    Span,
    Strong,
    Table,
    cell_spans,
    chunks,
    clean,
)

WIDTH = 80
INDENT = "   "
NARROWEST = 12


@dataclass(frozen=True)
class TextFormat:
    """Blocks in plain text, in one notation."""

    notation: Notation = PRESETS["paper"]
    width: int = WIDTH

    @property
    def writer(self) -> TextWriter:
        """How expressions are written."""
        return TextWriter(notation=self.notation)

    def document(self, document: Document) -> str:
        """The whole document, ending in a newline."""
        blocks = [self.block(block) for block in document.blocks]
        return "\n\n".join([self.title(document.title), *blocks]) + "\n"

    def title(self, title: str) -> str:
        """A document's title."""
        return self._wrap(clean(title), "", INDENT)

    def block(self, block: Block) -> str:
        """One block."""
        match block:
            case Heading(parts):
                return self._wrap(self.spans(parts), "", INDENT)
            case Items(items):
                return "\n".join(self._wrap("- " + self.spans(item), INDENT, INDENT + "  ")
                                 for item in items)
            case Display(equalities):
                return "\n".join(line for e in equalities for line in self.equality(e))
            case Table():
                return self.table(block)
        return self._wrap(self.spans(block.spans), INDENT, INDENT)

    def _wrap(self, text: str, first: str, rest: str) -> str:
        return textwrap.fill(text, self.width, initial_indent=first, subsequent_indent=rest,
                             break_on_hyphens=False)

    def spans(self, parts: Iterable[Span]) -> str:
        """Running text."""
        return "".join(self._span(part) for part in parts)

    def _span(self, part: Span) -> str:
        match part:
            case str():
                return clean(part)
            case Math(left, relation, right):
                text = self.writer.write(left)
                if right is None:
                    return text
                return f"{text} {relation} {self.writer.write(right)}"
            case Strong(text) | Code(text):
                return clean(text)
            case Label(names):
                return " ".join(names)
        raise TypeError(part)

    def equality(self, equality: Equality) -> list[str]:
        """The lines of an equation, broken between terms."""
        left = INDENT + self.writer.write(equality.left)
        lines: list[str] = []
        longest = max(len(self.chunk(chunk)) for _, terms in equality.sides
                      for chunk in chunks(terms, self.width - len(left), self.length))
        if len(left) > 2 * len(INDENT) and len(left) + 3 + longest > self.width:
            lines, left = [left], INDENT  # a right side that has no room goes below
        for i, (relation, terms) in enumerate(equality.sides):
            lead = f"{left if i == 0 else ' ' * len(left)} {relation} "
            lines += self._side(lead, terms)
        return lines

    def _side(self, lead: str, terms: Sequence[Braced]) -> list[str]:
        whole = self._joined(chunks(terms, self.width, lambda _: 0))
        if len(lead) + len(whole) <= self.width:
            return [lead + whole]
        lines, line, hang = [], lead, " " * (len(lead) - 2)
        for i, chunk in enumerate(chunks(terms, self.width - len(lead), self.length)):
            piece = self.chunk(chunk)
            sign = chunk.sign if i or chunk.sign == "−" else ""
            signed = f"{sign} {piece}" if i else sign + piece
            if i and len(line) + 1 + len(signed) > self.width:
                lines.append(line)
                line = hang + signed
            else:
                line += (" " if i else "") + signed
            if len(line) > self.width and chunk.fronts:  # what is in the brackets goes below
                inside = self.chunk(replace(chunk, sign="+", fronts=()))
                lines.append(line.removesuffix(inside))
                line = f"{hang}  {inside}"
            if len(line) > self.width and chunk.label:  # its names go below it
                text, bracket, names = line.rpartition(" [")
                lines.append(text)
                line = f"{hang}  {bracket.strip()}{names}"
        return [part for each in (*lines, line) for part in self._at_products(each, hang)]

    def _at_products(self, line: str, hang: str) -> Iterator[str]:
        """A line that no sign of a sum breaks, broken behind signs of its outer product."""
        while len(line) > self.width:
            depth, at = 0, 0
            for i, letter in enumerate(line[:self.width]):
                depth += (letter == "(") - (letter == ")")
                if letter == "·" and depth == 0:
                    at = i + 1
            if at <= len(hang) + 2:  # one factor that is longer than a line
                break
            yield line[:at]
            line = f"{hang}  {line[at:]}"
        yield line

    def length(self, expr: ex.Expr) -> int:
        """How many columns an expression takes."""
        return len(self.writer.write(expr))

    def _joined(self, pieces: Sequence[Chunk]) -> str:
        text = ""
        for i, chunk in enumerate(pieces):
            sign = f" {chunk.sign} " if i else ("−" if chunk.sign == "−" else "")
            text += sign + self.chunk(chunk)
        return text

    def chunk(self, chunk: Chunk) -> str:
        """One piece of a line, with the names under its brace in brackets behind it."""
        text = self.writer.factor(chunk.expr) if chunk.bracketed else self.writer.write(chunk.expr)
        for front in reversed(chunk.fronts):
            text = f"{'' if front == ex.Num(1) else self.writer.factor(front) + '·'}({text}"
        text += ")" * chunk.closes
        return f"{text} [{', '.join(chunk.label)}]" if chunk.label else text

    def table(self, table: Table) -> str:
        """Columns two spaces apart, no wider than the page: the widest column of words wraps.

        The last row is set off where it sums the others.
        """
        cells = [[self.cell(c.title) for c in table.columns],
                 *([self.cell(cell) for cell in row] for row in table.rows)]
        widths = [max(len(row[i]) for row in cells) for i in range(len(table.columns))]
        right = [column.align == "right" for column in table.columns]
        gap = self._fit(cells, widths, right)
        rows = [self._row(row, widths, right, gap) for row in cells]
        rule = "─" * (sum(widths) + gap * (len(widths) - 1))
        head, body = rows[0], rows[1:]
        last = [rule, *body[-1]] if table.total else body[-1] if body else []
        lines = [*head, rule, *(line for row in body[:-1] for line in row), *last]
        return "\n".join(f" {line}" for line in lines)

    def _fit(self, cells: Sequence[Sequence[str]], widths: list[int],
             right: Sequence[bool]) -> int:
        """Narrow the widest columns until the table fits; the gap between columns.

        First columns of words wrap, then those on the right that have several words; words are
        broken only where that is not enough and neither is a narrower gap.
        """
        least = [max((len(word) for row in cells for word in _pieces(row[i])), default=0)
                 for i in range(len(widths))]
        left = [i for i, is_right in enumerate(right) if not is_right]
        every, none = list(range(len(widths))), [0] * len(widths)
        for gap, bounds, columns in ((2, least, left), (1, least, left), (1, least, every),
                                     (1, none, left)):
            while sum(widths) + gap * (len(widths) - 1) >= self.width:
                words = [i for i in columns if widths[i] > max(bounds[i], NARROWEST)]
                if not words:
                    break
                widths[max(words, key=lambda i: widths[i])] -= 1
            else:
                return gap
        return 1

    def _row(self, row: Sequence[str], widths: Sequence[int], right: Sequence[bool],
             gap: int) -> list[str]:
        wrapped = [_wrapped(c, w) for c, w in zip(row, widths, strict=True)]
        lines = []
        for i in range(max(map(len, wrapped))):
            parts = [(c[i] if i < len(c) else "") for c in wrapped]
            lines.append((" " * gap).join(part.rjust(w) if r else part.ljust(w)
                         for part, w, r in zip(parts, widths, right, strict=True)).rstrip())
        return lines

    def cell(self, cell: Cell) -> str:
        return self.spans(cell_spans(cell))


def _pieces(cell: str) -> list[str]:
    """What a line may break between: words, and the dotted parts of a tensor's name."""
    return re.findall(r"[^\s.]*\.?[^\s.]*$|[^\s.]*\.|[^\s.]+", cell)


def _wrapped(cell: str, width: int) -> list[str]:
    """A cell's lines; a name too long for one breaks after a dot or a dash, else where it must."""
    lines: list[str] = []
    for line in textwrap.wrap(cell, width, break_on_hyphens=False, break_long_words=False) or [""]:
        while len(line) > width:
            cuts = [line.rfind(mark, 2, width) + 1 for mark in ".-/"]
            cut = next((cut for cut in cuts if cut > 2), width)
            lines.append(line[:cut])
            line = "  " + line[cut:]
        lines.append(line)
    return lines
