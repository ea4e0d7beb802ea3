"""The document model: what every export is made of before a format gives it a look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from symparam import expression as ex

Align: TypeAlias = Literal["left", "right"]


@dataclass(frozen=True)
class Math:
    """A piece of mathematics in a text: an expression, or two sides of a relation."""

    left: ex.Expr
    relation: str = ""
    right: ex.Expr | None = None


@dataclass(frozen=True)
class Strong:
    """Words that stand out."""

    text: str


@dataclass(frozen=True)
class Code:
    """Words that are typed as they stand."""

    text: str


@dataclass(frozen=True)
class Label:
    """Names of matrices, as the brace under a term shows them."""

    names: tuple[str, ...]


def clean(text: str) -> str:
    """A text without control characters, line ends and marks that turn the writing direction."""
    return "".join(c if c.isprintable() else " " for c in text)


Span: TypeAlias = str | Math | Strong | Code | Label
Cell: TypeAlias = Span | tuple[Span, ...]


@dataclass(frozen=True)
class Heading:
    """The title of a section."""

    spans: tuple[Span, ...]
    level: int = 2
    kind: str = "heading"


@dataclass(frozen=True)
class Paragraph:
    """Running text."""

    spans: tuple[Span, ...]
    kind: str = "paragraph"


@dataclass(frozen=True)
class Items:
    """A list."""

    items: tuple[tuple[Span, ...], ...]
    kind: str = "items"


@dataclass(frozen=True)
class Braced:
    """A term with the names of what it comes from."""

    expr: ex.Expr
    label: tuple[str, ...] = ()


@dataclass(frozen=True)
class Equality:
    """One displayed equation: a left side, and sides that follow, each a sum of terms."""

    left: ex.Expr
    sides: tuple[tuple[str, tuple[Braced, ...]], ...]


@dataclass(frozen=True)
class Display:
    """Displayed equations, one under another."""

    equalities: tuple[Equality, ...]
    kind: str = "display"


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    title: str
    align: Align = "left"


@dataclass(frozen=True)
class Table:
    """A table; ``total`` marks that the last row sums the others."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    total: bool = False
    kind: str = "table"


Block: TypeAlias = Heading | Paragraph | Items | Display | Table


@dataclass(frozen=True)
class Document:
    """A title and blocks."""

    title: str
    blocks: tuple[Block, ...]


def spans(*parts: Span) -> tuple[Span, ...]:
    """Spans as a tuple."""
    return parts


def cell_spans(cell: Cell) -> tuple[Span, ...]:
    """A cell's spans."""
    return cell if isinstance(cell, tuple) else (cell,)


def plain_terms(expr: ex.Expr) -> tuple[Braced, ...]:
    """An expression's terms without names."""
    return tuple(Braced(t) for t in (expr.terms if isinstance(expr, ex.Sum) else (expr,)))


def chunks(terms: Sequence[Braced], limit: int, length: int) -> list[Chunk]:
    """Terms as chunks between which a line may break (see :class:`Chunk`)."""
    found: list[Chunk] = []
    for term in terms:
        positive = ex.negated(term.expr)
        sign = "−" if positive is not None else "+"
        body = term.expr if positive is None else positive
        inner = body.factors[-1] if isinstance(body, ex.Product) else None
        if not term.label and isinstance(inner, ex.Sum) and length > limit:
            found += _opened(sign, body, inner)
        else:
            found.append(Chunk(sign, body, term.label))
    return found


@dataclass(frozen=True)
class Chunk:
    """A piece of a line: its sign, what it is, and brackets that open or close there."""

    sign: str
    expr: ex.Expr
    label: tuple[str, ...] = ()
    front: ex.Expr | None = None
    closes: bool = False

    @property
    def bracketed(self) -> bool:
        """Whether a sum here needs brackets: after a minus, though not inside an opened bracket
        whose first term carries the sign of the whole."""
        return self.sign == "−" and self.front is None


def _opened(sign: str, body: ex.Expr, inner: ex.Sum) -> list[Chunk]:
    assert isinstance(body, ex.Product)
    found = []
    for i, term in enumerate(inner.terms):
        closes = i == len(inner.terms) - 1
        positive = ex.negated(term)
        if i == 0:
            front = ex.product_of(*body.factors[:-1])
            found.append(Chunk(sign, term, front=front, closes=closes))
        elif positive is None:
            found.append(Chunk("+", term, closes=closes))
        else:
            found.append(Chunk("−", positive, closes=closes))
    return found
