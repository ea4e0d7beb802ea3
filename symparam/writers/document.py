"""The document model: what every export is made of before a format gives it a look."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Literal, TypeAlias

from symparam import expression as ex
from symparam.constraints import Equation
from symparam.dataclass import dataclass
from symparam.renamed import moved
from symparam.showable import clean as clean

__getattr__ = moved(__name__)  # (``chunks`` and others are in symparam.writers.chunks)

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
class Settings(Code):
    """Dims with their numbers, typed as they are given: ``L=32 d_model=4096``."""

    values: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(cls, numbers: Mapping[str, int]) -> Settings:
        """Dims as they are given.

        >>> Settings.of({"L": 32, "d_head": 128}).text
        'L=32 d_head=128'
        """
        return cls(" ".join(f"{name}={value}" for name, value in numbers.items()),
                   tuple(numbers.items()))


@dataclass(frozen=True)
class Rules(Code):
    """Equations, typed as they are given: ``d_head = d_model/n_heads``."""

    equations: tuple[Equation, ...] = ()

    @classmethod
    def of(cls, equations: Iterable[Equation]) -> Rules:
        """Equations as they are given."""
        found = tuple(equations)
        return cls("; ".join(map(str, found)), found)


@dataclass(frozen=True)
class Label:
    """Names of matrices, as the brace under a term shows them."""

    names: tuple[str, ...]


class Source(str):
    """Where something is from, as it is said: a text that names publications, which a format may
    cite (:mod:`symparam.bibliography`)."""

    __slots__ = ()


class Beside(Source):
    """The same in brackets behind what it is of; a citation that has brackets gets no others."""

    __slots__ = ()


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

    title: Cell
    align: Align = "left"


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        columns, rows: titles and cells.
        total: whether the last row sums the others.
        role: what it is for, where templates tell it from others: ``notation`` lists symbols.
        about: what a caption says of it, where that is not what stands above it.
        caption, label: where it floats, what stands with it and what references call it.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    total: bool = False
    kind: str = "table"
    role: str = ""
    about: tuple[Span, ...] = ()
    caption: tuple[Span, ...] = ()
    label: str = ""


Block: TypeAlias = Heading | Paragraph | Items | Display | Table


@dataclass(frozen=True)
class Named:
    """A number or a formula of a document that prose elsewhere can cite.

    Attributes:
        of: the model that it is of.
        name: what it is, in words or in symbols: ``layers.attention``, ``d_model``.
        value: a count as an ``int``, a share of one as a ``Fraction``, or an expression.
        meaning: one line.
        counts: whether it is a number of parameters, which is cited in short as well.
    """

    of: str
    name: str
    value: int | Fraction | ex.Expr
    meaning: str
    counts: bool = True


@dataclass(frozen=True)
class Document:
    """A title, blocks, and the numbers in them by name."""

    title: str
    blocks: tuple[Block, ...]
    numbers: tuple[Named, ...] = ()


def sources_of(document: Document) -> list[Source]:
    """Every source that a document names, in its order.

    >>> sources_of(Document("", (Paragraph(("From ", Source("Press and Wolf 2016"))),)))
    ['Press and Wolf 2016']
    """
    found: list[Span] = []
    for block in document.blocks:
        if isinstance(block, Heading | Paragraph):
            found += block.spans
        elif isinstance(block, Items):
            found += [part for item in block.items for part in item]
        elif isinstance(block, Table):
            cells = [column.title for column in block.columns]
            cells += [cell for row in block.rows for cell in row]
            found += [part for cell in cells for part in cell_spans(cell)]
    return [part for part in found if isinstance(part, Source)]


def spans(*parts: Span) -> tuple[Span, ...]:
    """Spans as a tuple."""
    return parts


def cell_spans(cell: Cell) -> tuple[Span, ...]:
    """A cell's spans."""
    return cell if isinstance(cell, tuple) else (cell,)


def plain_terms(expr: ex.Expr) -> tuple[Braced, ...]:
    """An expression's terms without names."""
    return tuple(Braced(t) for t in (expr.terms if isinstance(expr, ex.Sum) else (expr,)))
