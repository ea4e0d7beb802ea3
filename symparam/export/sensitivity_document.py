"""How a count changes with the dims, as a document or as blocks of one.

A section of another document takes the blocks::

    from symparam.sensitivity import analyse
    from symparam.export.sensitivity_document import sensitivity_blocks
    blocks += sensitivity_blocks(analyse(model), level=3)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from fractions import Fraction
from typing import Any

from symparam import expression as ex
from symparam.constraints import Equation
from symparam.dataclass import dataclass
from symparam.dims import order_key
from symparam.export.document import (
    Block,
    Cell,
    Column,
    Document,
    Equality,
    Heading,
    Items,
    Math,
    Paragraph,
    Span,
    Table,
    plain_terms,
    spans,
)
from symparam.export.foundation import resting
from symparam.export.lettered import displays, formulas
from symparam.export.notation import PRESETS, Notation
from symparam.export.numbers import exact_number, grouped, percent, rounded, short
from symparam.export.sensitivity_named import sensitivity_named
from symparam.export.sensitivity_shape import shape_blocks
from symparam.export.view import View
from symparam.sensitivity import Row, Sensitivity
from symparam.sensitivity.analysis import Measured
from symparam.sensitivity.held import ALONE, RULED, Held
from symparam.sensitivity.points import FiniteStep

_TITLES = {"total": "All parameters", "active": "The parameters that a token touches"}

#: So many dims that are held fixed are named one by one.
MOST_NAMED = 8

#: What a measured count is called in formulas.
_LETTERS = {"total": "P", "active": "P_active"}


@dataclass(frozen=True, repr=False)
class SensitivityView(Sensitivity, View):
    """A sensitivity that can be written in every format; in a notebook it shows itself."""

    notation: Notation = PRESETS["paper"]

    @classmethod
    def wrap(cls, found: Sensitivity, notation: Notation) -> SensitivityView:
        """A sensitivity with these methods."""
        own = {f.name: getattr(found, f.name) for f in fields(Sensitivity)}
        return cls(**own, notation=notation)

    def document(self) -> Document:
        """The sensitivity as a document."""
        return sensitivity_document(self, self.notation)

    def json(self) -> dict[str, Any]:
        """The sensitivity as data."""
        from symparam.export.sensitivity_data import sensitivity_json

        return sensitivity_json(self)


def sensitivity_document(s: Sensitivity, notation: Notation | None = None) -> Document:
    """Derivatives with what is held fixed, steps, doublings, slopes and crossovers."""
    return resting(Document(f"{s.model.name}: what the number of parameters depends on",
                            tuple(sensitivity_blocks(s, notation=notation)),
                            sensitivity_named(s)), s.model)


def sensitivity_blocks(s: Sensitivity, level: int = 2,
                       notation: Notation | None = None) -> list[Block]:
    """The blocks of a sensitivity.

    Args:
        s: the sensitivity.
        level: of its headings.
        notation: the one that they will be written in. Where it is not known, formulas are kept
            so short that they fit a line in any.
    """
    blocks: list[Block] = []
    for measured in s.measures:
        blocks += _measured(s, measured, level, notation)
    return [*blocks, *shape_blocks(s, level, notation), *_notes(s)]


def _measured(s: Sensitivity, measured: Measured, level: int,
              notation: Notation | None) -> Iterator[Block]:
    several = len(s.measures) > 1
    of = _LETTERS[measured.name]
    title = f"{_TITLES[measured.name]}: derivatives" if several else "Derivatives"
    here = (", each proved",) if measured.value is None else (
        ", each proved; ", Math(ex.Sym(of)), f" = {grouped(measured.value)} here "
        f"({short(measured.value)})")
    yield Heading(spans(title, *here), level)
    for held, rows in _groups(measured.rows):
        yield Paragraph(tuple(_convention(s, held, rows)))
        yield from displays((_derivative(of, row) for row in rows), notation)
        yield from _relaxed(of, held, rows, notation)
        if measured.value is None:
            yield from _elasticities(of, rows, notation)
    if measured.value is not None and measured.rows:
        yield _numbers(measured.rows)
        yield Paragraph(spans(
            "Elasticity: by how many per cent ", Math(ex.Sym(of)), " grows for each per cent of "
            "the dim. Degree: the highest power of the dim in it."))
        yield from steps_blocks(measured.rows, measured.value, level)


def _groups(rows: tuple[Row, ...]) -> Iterator[tuple[Held, list[Row]]]:
    """Rows under one convention with the same equations, those with all others fixed first."""
    groups: dict[tuple[str, tuple[str, ...]], list[Row]] = {}
    for row in rows:
        key = row.held.name, tuple(sorted(map(str, row.held.equations)))
        groups.setdefault(key, []).append(row)
    for found in sorted(groups.values(), key=lambda g: _ORDER.index(g[0].held.name)):
        yield found[0].held, found


_ORDER = (ALONE, RULED, "ratios kept")


def _convention(s: Sensitivity, held: Held, rows: list[Row]) -> Iterator[Span]:
    if held.name == ALONE:
        yield "All others held fixed:"
        return
    ruled = held.name == RULED
    yield "By rule, " if ruled else "Ratios kept, "
    yield from _listed(eq for eq in held.equations if not ruled or eq.dim not in held.aside)
    if ruled and held.aside:
        yield "; here "
        yield from _listed(eq for eq in held.equations if eq.dim in held.aside)
    fixed = held.fixed(sorted(s.model.dims, key=order_key)) if len(rows) == 1 else ()
    if not fixed or len(fixed) > MOST_NAMED:
        yield "; the others held fixed:"
        return
    for i, name in enumerate(fixed):
        yield "; held fixed: " if i == 0 else ", "
        yield Math(ex.Sym(name))
    yield ":"


def _relaxed(of: str, held: Held, rows: list[Row], notation: Notation | None) -> Iterator[Block]:
    """What a derivative takes in place of a rule that rounds, and its form with that put in."""
    if not held.relaxed:
        return
    put_in = [Equality(differential(of, row.wrt), (("=", plain_terms(row.derivative.put_in.expr)),))
              for row in rows if row.derivative.put_in is not None]
    yield Paragraph((
        "A premise: ", *_listed(follow.equation.unrounded for follow in held.relaxed),
        ", without what the rule rounds; whole steps follow the rule.",
        " With it put in:" if put_in else ""))
    yield from displays(iter(put_in), notation)


def _listed(equations: Any) -> Iterator[Span]:
    found: list[Equation] = sorted(equations, key=lambda eq: order_key(eq.dim))
    for i, eq in enumerate(found):
        yield ", " if i else ""
        yield Math(ex.Sym(eq.dim), "=", eq.expr)
        if eq.rounding:
            yield f" ({eq.rounding})"


def differential(of: str, by: str, sign: str = "∂") -> ex.Expr:
    """The sign of a derivative; the names of its symbols hold what stands before them."""
    return ex.Quotient(ex.Sym(sign + of), ex.Sym(sign + by))


def _derivative(of: str, row: Row) -> Equality:
    return Equality(differential(of, row.wrt), (("=", plain_terms(row.derivative.expr)),))


def _elasticities(of: str, rows: list[Row], notation: Notation | None) -> Iterator[Block]:
    """Elasticities in symbols: how many per cent a count grows by for each per cent of a dim."""
    pairs = ((differential(of, row.wrt, "∂ln "), row.elasticity.expr) for row in rows)
    yield from formulas(pairs, notation)


def _numbers(rows: tuple[Row, ...]) -> Table:
    """The derivatives here."""
    columns = (Column("with respect to"), Column("held fixed"), Column("here", "right"),
               Column("elasticity", "right"), Column("degree", "right"))
    return Table(columns, tuple(
        (Math(ex.Sym(row.wrt)), row.held.name, exact_number(row.here or 0),
         rounded(row.relative or Fraction(0), 3), str(row.derivative.degree)) for row in rows))


def steps_blocks(rows: Sequence[Row], value: ex.Rational, level: int) -> Iterator[Block]:
    """The whole steps of some rows, and those that there are not."""
    taken = [(row, step) for row in rows for step in row.steps]
    possible = [(row, step) for row, step in taken if step.change is not None]
    if possible:
        yield Heading(spans("Whole steps (counted anew, not from the derivative)"), level + 1)
        yield Table((Column("step"), Column("held fixed"), Column("change", "right"),
                     Column("of all", "right"), Column("then")),
                    tuple(_step(row, step, value or 1) for row, step in possible))
    refused = tuple(
        spans(_shown_step(row.wrt, step), f" = {step.to}, {row.held.name}: there is no such "
              f"model. {step.refused}") for row, step in taken if step.change is None)
    if refused:
        yield Items(refused)


def _shown_step(name: str, step: FiniteStep) -> Math:
    return Math(ex.Sym(name) + ex.Num(step.delta))


def _step(row: Row, step: FiniteStep, value: ex.Rational) -> tuple[Cell, ...]:
    change: ex.Rational = 0 if step.change is None else step.change
    size: ex.Rational = -change if change < 0 else change
    there = [part for name, number in step.dims.items()
             for part in (Math(ex.Sym(name)), f"={number}, ")]
    sign = "−" if change < 0 else "+" if change > 0 else ""
    share = f"{'−' if change < 0 else ''}{percent(size, value, 3)}"
    return (_shown_step(row.wrt, step), row.held.name, f"{sign}{grouped(size)}", share,
            spans(*there[:-1], str(there[-1]).removesuffix(", ")))


def _notes(s: Sensitivity) -> Iterator[Block]:
    notes: list[tuple[Span, ...]] = []
    for name, times in s.shared.items():
        often = "" if times is None else f" {times} times"
        notes.append(spans(f"The layer is shared: it is stored once and applied{often}, so that ",
                           Math(ex.Sym(name)), " adds no parameters."))
    rules = {f.equation for m in s.measures for row in m.rows for f in row.held.follows
             if not f.exact}
    for eq in sorted(rules, key=str):
        notes.append((*_listed([eq]), ": a derivative takes the slope of this and leaves ",
                      Math(ex.Sym(eq.dim)), " where it is."))
    notes += [spans(f"Left out: {phrase}.") for phrase in s.model.left_out]
    if notes:
        yield Items(tuple(notes))
