"""Where the lines of a displayed equation break: once, for every format that sets a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.notation.notation import Notation
from symparam.writers.document import Braced, Chunk, Equality, chunks
from symparam.writers.text import TextFormat

#: Lines are no shorter than this, however long the left side is.
LEAST = 20


@dataclass(frozen=True)
class Piece:
    """What stands between two places where a line may break.

    Attributes:
        sign: ``+``, ``−`` or nothing before it.
        fronts: the factors before brackets that open here, outermost first.
        chunk: what follows; None where a line ends in the bracket that it opens.
    """

    sign: str
    fronts: tuple[ex.Expr, ...]
    chunk: Chunk | None


@dataclass(frozen=True)
class DisplayRow:
    """One line of an equation.

    Attributes:
        left: the left side, on an equation's first line.
        relation: how a side begins; nothing on a line that goes on with one.
        depth: 0 for the first line of a side, 1 for one that goes on, 2 inside an open bracket.
        pieces: what is on it.
    """

    left: ex.Expr | None
    relation: str
    depth: int
    pieces: tuple[Piece, ...]


def rows(equality: Equality, notation: Notation) -> list[DisplayRow]:
    """An equation's lines, each as long as the notation allows.

    >>> from symparam.writers.document import plain_terms
    >>> from symparam.notation.notation import PRESETS
    >>> sides = (("=", plain_terms(ex.Sym("V") + ex.Sym("L"))),)
    >>> (row,) = rows(Equality(ex.Sym("P"), sides), PRESETS["paper"])
    >>> row.relation, [piece.sign for piece in row.pieces]
    ('=', ['', '+'])
    """
    found: list[DisplayRow] = []
    left = TextFormat(notation, 10**6).length(equality.left)
    room = max(LEAST, min(notation.line, notation.line * 5 // 4 - left))
    for i, (relation, terms) in enumerate(equality.sides):
        lines = list(_lines(terms, notation, room))
        found.append(DisplayRow(None if i else equality.left, relation, *lines[0]))
        found += [DisplayRow(None, "", *line) for line in lines[1:]]
    return found


def is_pushed(equality: Equality, notation: Notation) -> bool:
    """Whether a left side pushes a term, which is not broken, off the page on its right."""
    measure = TextFormat(notation, 10**6)
    longest = max(len(measure.chunk(replace(chunk, label=()))) for _, terms in equality.sides
                  for chunk in chunks(terms, LEAST, measure.length))
    return (measure.length(equality.left) + longest) * 4 > notation.line * 5


def _lines(terms: Sequence[Braced], notation: Notation,
           line: int) -> Iterator[tuple[int, tuple[Piece, ...]]]:
    """The depth and the pieces of each line of a side, so many characters long."""
    measure = TextFormat(notation, 10**6)
    depth, row, used = 0, list[Piece](), 0
    for i, chunk in enumerate(chunks(terms, line, measure.length)):
        size = len(measure.chunk(replace(chunk, label=()))) + 3
        sign = chunk.sign if i or chunk.sign == "−" else ""
        if i and used + size > line:
            yield depth, tuple(row)
            depth, row, used = 1, [], 6
        if chunk.fronts and used + size > line:
            yield depth, (*row, Piece(sign, chunk.fronts, None))
            depth, row, used = 2, [Piece("", (), chunk)], 6
        else:
            row.append(Piece(sign, chunk.fronts, chunk))
        used += size
    yield depth, tuple(row)
