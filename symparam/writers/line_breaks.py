"""Where the lines of a displayed equation break: once, for every format that sets a page.

Lines break at outer signs, are indented by depth, and end in no opening bracket. A bracket that
is too long for a line is broken at its own signs if that takes few lines, else it gets a name,
Σ with a number, and is said below.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.errors import the
from symparam.letters import of_matrix
from symparam.notation.notation import LatexWriter, Notation, latex_of
from symparam.writers.chunks import Chunk, bracket_last
from symparam.writers.document import Braced, Equality
from symparam.writers.metrics import EM, math_width
from symparam.writers.sub_sums import lettered

#: Room that an equals sign takes, and the indentation of lines by their depth, in points.
RELATION = 1.34 * EM
INDENT = (0.0, EM, 3 * EM)
_THIN, _BIG = 0.167 * EM, 0.46 * EM
#: A bracket is broken where that takes no more lines than this.
MOST_LINES = 4

#: A last line that is no wider than this is lonely, in points.
LONELY = 4 * EM

#: Sums that have a name, with it.
Names = dict[ex.Expr, ex.Sym]


@dataclass(frozen=True)
class Piece:
    """What stands between two places where a line may break.

    Attributes:
        sign: ``+``, ``−``, ``·`` where a product goes on, or nothing before it.
        fronts: the factors before brackets that open here, outermost first.
        chunk: what follows.
    """

    sign: str
    fronts: tuple[ex.Expr, ...]
    chunk: Chunk


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


@dataclass(frozen=True)
class Ruler:
    """How wide pieces are in a notation."""

    notation: Notation

    def width(self, expr: ex.Expr, factor: bool = False) -> float:
        """The width of an expression in points."""
        writer = LatexWriter(notation=self.notation)
        return math_width(writer.factor(expr) if factor else writer.write(expr))

    def piece(self, piece: Piece) -> float:
        """The width of a piece with its sign."""
        chunk = piece.chunk
        sign = {"": 0.0, "·": 0.73 * EM}.get(piece.sign, 1.23 * EM)
        fronts = sum(_BIG + (0 if front == ex.Num(1) else self.width(front, True) + _THIN)
                     for front in piece.fronts)
        inside = self.width(chunk.expr, chunk.bracketed) + chunk.closes * _BIG
        return sign + fronts + max(inside, self.names(chunk.label))

    def names(self, label: Sequence[str]) -> float:
        """The width of the names below a brace."""
        if not label:
            return 0.0
        return math_width(rf"{{}}_{{{r', '.join(latex_of(of_matrix(name)) for name in label)}}}")

    def line(self, pieces: Sequence[Piece]) -> float:
        """The width of pieces in a row."""
        return sum(map(self.piece, pieces))


def rows(equality: Equality, notation: Notation, lead: float | None = None,
         names: Names | None = None) -> list[DisplayRow]:
    """An equation's lines, none wider than the notation's page where that can be had.

    Args:
        equality: the equation.
        notation: how it is written, and how wide the page is.
        lead: the room in points left of the equals sign; the left side's where nobody says.
        names: the sums that have names already; new ones are added. None where nothing gets a
            name: on a page that scrolls.

    >>> from symparam.writers.document import plain_terms
    >>> from symparam.notation.notation import PRESETS
    >>> sides = (("=", plain_terms(ex.Sym("V") + ex.Sym("L"))),)
    >>> (row,) = rows(Equality(ex.Sym("P"), sides), PRESETS["paper"])
    >>> row.relation, [piece.sign for piece in row.pieces]
    ('=', ['', '+'])
    """
    ruler = Ruler(notation)
    lead = ruler.width(equality.left) if lead is None else lead
    breaking = _Breaking(ruler, notation.page - lead, names)
    found = list(_rows(equality, breaking))
    told = set[ex.Expr]()
    while waiting := [part for part in breaking.used if part not in told]:
        told.add(waiting[0])
        terms = tuple(map(Braced, ex.terms_of(waiting[0])))
        found += _rows(Equality(the(dict, names)[waiting[0]], (("=", terms),)), breaking)
    return found


def sub_sum(count: int) -> ex.Sym:
    """The name of a sum where so many have one already."""
    return ex.Sym(f"Σ_{count + 1}")


def width(found: Sequence[DisplayRow], notation: Notation) -> tuple[float, float]:
    """How wide an equation's lines are, in points: left of the equals sign, and with it."""
    ruler = Ruler(notation)
    left = max((ruler.width(row.left) for row in found if row.left is not None), default=0.0)
    return left, max((RELATION if row.relation else INDENT[row.depth]) + ruler.line(row.pieces)
                     for row in found)


def _rows(equality: Equality, breaking: _Breaking) -> Iterator[DisplayRow]:
    for i, (relation, terms) in enumerate(equality.sides):
        for j, (depth, pieces) in enumerate(breaking.lines(terms)):
            yield DisplayRow(equality.left if i == j == 0 else None, "" if j else relation, depth,
                             tuple(pieces))


_Line = tuple[int, list[Piece]]


@dataclass(frozen=True)
class _Breaking:
    """Breaks sides over lines of some room, and names what is too long.

    Attributes:
        ruler: how wide things are.
        room: from the equals sign to the end of a line, in points.
        names: sums that have names; None where nothing gets one.
        used: those that were used here, in order.
    """

    ruler: Ruler
    room: float
    names: Names | None
    used: dict[ex.Expr, None] = field(default_factory=dict)

    def lines(self, terms: Sequence[Braced]) -> list[_Line]:
        """The depth and the pieces of each line of a side."""
        found: list[_Line] = [(0, [])]
        closed = False  # a line that is inside a bracket goes on with nothing outside of it
        for i, term in enumerate(terms):
            positive = ex.negated(term.expr)
            sign = "−" if positive is not None else "+" if i else ""
            chunk = Chunk(sign or "+", positive or term.expr, term.label)
            pieces = self._within(sign, chunk, self._left(found[-1]) if not closed else 0.0, i)
            if pieces is not None:
                piece, below = pieces
                self._add(found, piece, below)
                closed = False
                continue
            more = self._broken(sign, chunk, bool(i))
            if len(more) == 1 and not closed and self.ruler.line(more[0]) <= self._left(found[-1]):
                found[-1][1].extend(more[0])  # a name has made it short
                continue
            if i:
                found.append((1, []))
            found[-1][1].extend(more[0])
            found += [(2, line) for line in more[1:]]
            closed = len(more) > 1
        return self._balanced(found)

    def _left(self, line: _Line) -> float:
        """The room that is left on a line."""
        depth, pieces = line
        return self.room - (INDENT[depth] if depth else RELATION) - self.ruler.line(pieces)

    def _fresh(self, index: int) -> float:
        return self.room - (INDENT[1] if index else RELATION)

    def _within(self, sign: str, chunk: Chunk, left: float,
                index: int) -> tuple[Piece, bool] | None:
        """A term as one piece, and whether it needs a new line; None where it fits none."""
        for shown in _shorter(chunk):
            piece = Piece(sign, (), shown)
            size = self.ruler.piece(piece)
            if size <= left:
                return piece, False
            if size <= self._fresh(index):
                return piece, bool(index)
        return None

    @staticmethod
    def _add(found: list[_Line], piece: Piece, below: bool) -> None:
        if below:
            found.append((1, []))
        found[-1][1].append(piece)

    def _broken(self, sign: str, chunk: Chunk, index: int) -> list[list[Piece]]:
        """A term that fits no line as it is: the line that it begins, and those inside of it."""
        body = bracket_last(chunk.expr)
        if isinstance(body, ex.Sum):
            body = ex.Product((ex.Num(1), body))
        if isinstance(body, ex.Product) and isinstance(body.factors[-1], ex.Sum):
            opened = self._opened(sign, body, self._fresh(index))
            if opened is not None:
                return opened
        shown = chunk
        while self.names is not None and (part := self._longest(shown.expr)) is not None:
            name = self.names.setdefault(part, sub_sum(len(self.names)))
            self.used.setdefault(part)
            shown = Chunk(chunk.sign, lettered(shown.expr, part, name), chunk.label)
            found = self._within(sign, shown, 0.0, index)
            if found is not None:
                return [[found[0]]]
        return self._factors(sign, Chunk(chunk.sign, shown.expr), self._fresh(index))

    def _opened(self, sign: str, body: ex.Product, first: float) -> list[list[Piece]] | None:
        """A product broken at the signs of the bracket that ends it; None if that is better named:
        it takes too many lines, one of its terms has no room, or a symbol is alone on the last."""
        front, inner = ex.product_of(*body.factors[:-1]), the(ex.Sum, body.factors[-1])
        lines, room = [list[Piece]()], first
        for i, term in enumerate(inner.terms):
            positive = ex.negated(term) if i else None
            own = sign if not i else "+" if positive is None else "−"
            last = i == len(inner.terms) - 1
            fronts = () if i else (front,)
            chunk = Chunk(own or "+", positive or term, (), fronts, int(last))
            piece = Piece(own, fronts, chunk)
            if lines[-1] and self.ruler.line([*lines[-1], piece]) > room:
                lines.append([])
                room = self.room - INDENT[2]
            lines[-1].append(piece)
            if self.names is not None and (
                    self.ruler.line(lines[-1]) > room or len(lines) > MOST_LINES):
                return None
        found = [pieces for _, pieces in self._balanced([(2, pieces) for pieces in lines])]
        alone = len(found) > 1 and _alone(found[-1])
        return None if alone and self.names is not None else found

    def _balanced(self, found: list[_Line]) -> list[_Line]:
        """Lines of which the last is no lonely symbol where the one before can spare a term."""
        if len(found) < 2:
            return found
        (above, before), (depth, last) = found[-2:]
        spare = above == depth or (above == 0 and depth == 1)
        if before and before[-1].chunk.closes > len(before[-1].fronts):
            return found  # the bracket that it closes would stay open on the line above
        moved, room = [before[-1], *last], self.room - INDENT[depth]
        lonely = _alone(last) or self.ruler.line(last) <= LONELY
        if not (spare and lonely) or len(before) < 2 or self.ruler.line(moved) > room:
            return found
        return [*found[:-2], (above, before[:-1]), (depth, moved)]

    def _longest(self, expr: ex.Expr) -> ex.Expr | None:
        """The widest sum inside an expression; else what is above or below a line."""
        inner = [e for e in ex.walk(expr) if e != expr]
        parts: list[ex.Expr] = [e for e in inner if isinstance(e, ex.Sum)]
        parts = parts or [side for e in ex.walk(expr) if isinstance(e, ex.Quotient)
                          for side in (e.top, e.bottom) if isinstance(side, ex.Product)]
        return max(parts, key=self.ruler.width, default=None)

    def _factors(self, sign: str, chunk: Chunk, room: float) -> list[list[Piece]]:
        """A product broken between its factors, where nothing else helps."""
        factors = chunk.expr.factors if isinstance(chunk.expr, ex.Product) else (chunk.expr,)
        lines, own = list[list[Piece]](), sign
        waiting = list(factors)
        while waiting:
            count = next((n for n in range(len(waiting), 1, -1) if self.ruler.piece(
                _product(own, chunk.sign, waiting[:n])) <= room), 1)
            lines.append([_product(own, chunk.sign, waiting[:count])])
            waiting, own, room = waiting[count:], "·", self.room - INDENT[2]
        return lines


def _alone(pieces: Sequence[Piece]) -> bool:
    """Whether a line is a symbol and nothing else."""
    return len(pieces) == 1 and isinstance(pieces[0].chunk.expr, ex.Sym)


def _product(own: str, sign: str, factors: Sequence[ex.Expr]) -> Piece:
    """Factors of a product as a piece; a sum that stands alone keeps its brackets."""
    alone = len(factors) == 1 and isinstance(factors[0], ex.Sum)
    return Piece(own, (), Chunk("−" if alone else sign, ex.product_of(*factors)))


def _shorter(chunk: Chunk) -> Iterator[Chunk]:
    """A chunk as it is, and without the names below it."""
    yield chunk
    if chunk.label:
        yield Chunk(chunk.sign, chunk.expr)
