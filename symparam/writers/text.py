"""Documents in plain text, 80 columns, for a terminal or a file."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.notation.notation import PRESETS, Notation, TextWriter
from symparam.writers.chunks import Chunk, chunks
from symparam.writers.document import (
    Beside,
    Block,
    Braced,
    Cell,
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
            case Beside():
                return f"({clean(part)})"
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
        lines, line, hang = list[list[str]](), [lead], " " * (len(lead) - 2)
        for i, chunk in enumerate(chunks(terms, self.width - len(lead), self.length)):
            sign = chunk.sign if i or chunk.sign == "−" else ""
            signed = _joint([f"{sign} " if i else sign], self._pieces(chunk))
            if i and _length(line) + 1 + _length(signed) > self.width:
                lines.append(line)
                line = _joint([hang], signed)
            else:
                line = _joint(line, _joint([" " if i else ""], signed))
            if _length(line) > self.width and chunk.fronts:  # what is in the brackets goes below
                inside = self._pieces(replace(chunk, sign="+", fronts=()))
                lines.append([*line[:-1], line[-1].removesuffix("".join(inside))])
                line = _joint([f"{hang}  "], inside)
            if _length(line) > self.width and chunk.label:  # its names go below it
                lines.append([*line[:-1], line[-1].removesuffix(_names(chunk))])
                line = [f"{hang} {_names(chunk)}"]
        return [text for each in (*lines, line) for text in self._broken(each, hang)]

    def _broken(self, line: Sequence[str], hang: str) -> Iterator[str]:
        """A line that no sign of a sum breaks, broken behind signs of its outer product, and where
        a factor is longer than a line before signs in it."""
        while _length(line) > self.width:
            count = next((n for n in range(len(line) - 1, 0, -1)
                          if _length(line[:n]) <= self.width), 0)
            if count:
                yield "".join(line[:count])
                line = _joint([f"{hang}  "], line[count:])
                continue
            at = max(line[0].rfind(sign, 0, self.width) for sign in (" + ", " − "))
            if not line[0][:max(at, 0)].strip():
                break
            yield line[0][:at]
            line = [f"{hang}    {line[0][at + 1:]}", *line[1:]]
        yield "".join(line)

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
        return "".join(self._pieces(chunk))

    def _pieces(self, chunk: Chunk) -> list[str]:
        """What a chunk is written as, up to each sign of its outer product."""
        write, expr, fronts = self.writer, chunk.expr, list[list[str]]()
        for front in chunk.fronts:
            *before, last = write.pieces(front, factor=True)
            fronts.append([] if front == ex.Num(1) else [*before, last + write.times])
        tail = ")" * chunk.closes + _names(chunk)
        if fronts:
            inner = "".join("".join(front) + "(" for front in fronts[1:])
            return [*fronts[0], f"({inner}{write.write(expr)}{tail}"]
        return _joint(write.pieces(expr, chunk.bracketed), [tail])

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
        caption = [self._wrap(self.spans(table.caption), "", "")] if table.caption else []
        lines = [*caption, *head, rule, *(line for row in body[:-1] for line in row), *last]
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


def _names(chunk: Chunk) -> str:
    """The names of the matrices that a chunk is from, as they stand behind it."""
    return f" [{', '.join(chunk.label)}]" if chunk.label else ""


def _joint(line: Sequence[str], more: Sequence[str]) -> list[str]:
    """Pieces of a line with more behind them; it does not end where they meet."""
    return [*line[:-1], line[-1] + more[0], *more[1:]]


def _length(line: Sequence[str]) -> int:
    return sum(map(len, line))


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
