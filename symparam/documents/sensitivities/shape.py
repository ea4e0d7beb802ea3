"""Doublings, layers against width, and where embeddings fall under a share, as blocks."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from symparam import expression as ex
from symparam.arithmetic import decimal
from symparam.dims import primed
from symparam.notation.notation import Notation
from symparam.notation.numbers import exact_number, percent, rounded
from symparam.sensitivity import Sensitivity
from symparam.sensitivity.compared import Doubling, Slope
from symparam.sensitivity.crossover import Crossover
from symparam.sensitivity.held import Held
from symparam.writers.document import (
    Block,
    Cell,
    Column,
    Heading,
    Items,
    Math,
    Paragraph,
    Span,
    Table,
    spans,
)
from symparam.writers.sub_sums import displays, equalities, formulas


def shape_blocks(s: Sensitivity, level: int, notation: Notation | None) -> Iterator[Block]:
    """What the derivatives of the quantity say of shape."""
    numbered, of = s.value is not None, Math(ex.Sym(s.quantity.symbol))
    if s.doublings:
        yield Heading(spans("Doubling"), level)
        yield from _doublings(s.doublings, of) if numbered else _factors(
            s.doublings, s.quantity.symbol, notation)
    if s.slopes:
        kept = s.quantity.title if s.subject.of_parameters else of
        yield Heading(spans("Layers against width, ", kept, " kept"), level)
        yield from _slopes(s.slopes, of) if numbered else _formulas(s.slopes, notation)
    if s.crossovers:
        yield Heading(spans("Where token embedding and head fall under a share of ", of), level)
        yield from _crossovers(s.crossovers, notation)


def _moved(held: Held) -> list[Span]:
    """A dim, with its convention where other dims follow it."""
    return [Math(ex.Sym(held.wrt)), *([f" ({held.name})"] if held.follows else [])]


def _doublings(found: tuple[Doubling, ...], of: Math) -> Iterator[Block]:
    possible = [d for d in found if d.factor is not None]
    rows = tuple(
        (Math(ex.Sym(d.held.wrt)), d.held.name, rounded(d.factor or Fraction(0), 3),
         "" if d.layers is None else rounded(d.layers, 3)) for d in possible)
    if rows:
        yield Table((Column("twice"), Column("held fixed"), Column(spans(of, " times"), "right"),
                     Column("what is in layers times", "right")), rows)
    refused = tuple(spans("Twice ", *_moved(d.held), f": there is no such model. {d.refused}")
                    for d in found if d.factor is None)
    if refused:
        yield Items(refused)


def _factors(found: tuple[Doubling, ...], of: str,
             notation: Notation | None) -> Iterator[Block]:
    """The factors in symbols."""
    ratio = ex.Quotient(ex.Sym(primed(of)), ex.Sym(of))
    for d in found:
        if d.formula is not None:
            yield Paragraph(spans("Twice ", *_moved(d.held), " multiplies ", Math(ex.Sym(of)), ":"))
            yield from formulas([(ratio, d.formula.expr)], notation)


def _slope_sign(slope: Slope) -> ex.Expr:
    return ex.Quotient(ex.Sym(f"ⅆ{slope.depth.wrt}"), ex.Sym(f"ⅆ{slope.width.wrt}"))


def _slopes(found: tuple[Slope, ...], of: Math) -> Iterator[Block]:
    rows: list[tuple[Cell, ...]] = []
    for slope in found:
        value = slope.slope or Fraction(0)
        bought = "" if slope.bought is None else decimal(slope.bought, 1)
        rows.append((Math(_slope_sign(slope)), slope.width.name, exact_number(value),
                     rounded(value, 5), bought))
    yield Table((Column("slope"), Column("held fixed"), Column("exact", "right"),
                 Column("is", "right"), Column("layer buys", "right")), tuple(rows))
    yield Paragraph(tuple(_in_words(found[-1], of)))


def _in_words(slope: Slope, of: Math) -> Iterator[Span]:
    """The last slope, the one with ratios kept, as a person says it."""
    if slope.bought is None:
        yield "Width adds nothing."
        return
    yield f"One layer buys {decimal(slope.bought, 1)} of width ({slope.width.name}): at a fixed "
    yield from (of, ", ", Math(_slope_sign(slope)), f" = {rounded(slope.slope or Fraction(0), 5)}")
    yield from ("; ", *_moved(slope.depth), " is what goes.") if slope.depth.follows else (".",)


def _formulas(found: tuple[Slope, ...], notation: Notation | None) -> Iterator[Block]:
    """The slopes in symbols."""
    for slope in found:
        yield Paragraph(spans(f"{slope.width.name[0].upper()}{slope.width.name[1:]}:"))
        yield from formulas([(_slope_sign(slope), slope.formula)], notation)


def _crossovers(found: tuple[Crossover, ...], notation: Notation | None) -> Iterator[Block]:
    by_dim: dict[Held, list[Crossover]] = {}
    for c in found:
        by_dim.setdefault(c.held, []).append(c)
    for held, several in by_dim.items():
        yield from _roots(held, several, notation)
    rows = [row for c in found for row in _firsts(c)]
    if rows:
        yield Table((Column("under"), Column("dim"), Column("held fixed"), Column("root", "right"),
                     Column("first", "right"), Column("share", "right"),
                     Column("before", "right"), Column("share", "right")), tuple(rows))
        yield Paragraph(spans(
            "First and before: the nearest multiples on both sides of the root at which all dims "
            "that follow are whole and the model's own conditions hold (heads that divide)."))
    missing = tuple(spans(f"{share(c.share)}, ", *_moved(c.held), f": {_beyond(c)}{c.why}.")
                    for c in found if c.why)
    if missing:
        yield Items(missing)


def _beyond(c: Crossover) -> str:
    return "" if c.root is None or c.firsts else f"beyond {decimal(c.root, 2)}, but "


def _roots(held: Held, found: list[Crossover], notation: Notation | None) -> Iterator[Block]:
    """Formulas of the roots, those of all shares or of none."""
    name = ex.Sym(held.wrt)
    pairs = [(name, c.formula) for c in found if c.formula is not None]
    shown = tuple(equalities(pairs, ">", notation))
    if pairs and sum(e.left == name for e in shown) == len(found):
        shares = ", ".join(share(c.share) for c in found)
        yield Paragraph(spans("As ", *_moved(held), f" grows, the share is under {shares} where"))
        yield from displays(shown, notation)
    elif any(c.root is None for c in found if c.formula is not None):
        yield Paragraph(spans("Too long for a line, and in the JSON form: the least ",
                              *_moved(held), "."))


def _firsts(c: Crossover) -> Iterator[tuple[Cell, ...]]:
    root = "" if c.root is None else decimal(c.root, 2)
    for first in c.firsts:
        of = f" (of {first.multiple})" if first.multiple > 1 else ""
        yield (share(c.share), Math(ex.Sym(c.held.wrt)), c.held.name, root, f"{first.number}{of}",
               percent(first.share, 1, 3), "" if first.before is None else str(first.before),
               "" if first.share_before is None else percent(first.share_before, 1, 3))


def share(value: Fraction) -> str:
    """A share in per cent, as short as it is exact.

    >>> share(Fraction(1, 20)), share(Fraction(1, 800))
    ('5 %', '0.125 %')
    """
    shown = decimal(100 * value, 15).rstrip("0").rstrip(".")
    return f"{shown} %"
