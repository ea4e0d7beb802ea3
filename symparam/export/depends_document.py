"""How a quantity changes with the symbols of its formula, as a document and as data."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from symparam import expression as ex
from symparam.derivation.whole import in_front
from symparam.dims import order_key
from symparam.export.cost_data import number
from symparam.export.derivation_about import in_units, of_quantity, taken
from symparam.export.document import (
    Block,
    Cell,
    Column,
    Display,
    Document,
    Equality,
    Heading,
    Items,
    Math,
    Named,
    Paragraph,
    Span,
    Table,
    plain_terms,
    spans,
)
from symparam.export.foundation import resting, resting_data
from symparam.export.lettered import displays
from symparam.export.named import formula_named
from symparam.export.notation import PRESETS, Notation
from symparam.export.numbers import exact_number, rounded
from symparam.export.sensitivity_data import step_data
from symparam.export.sensitivity_document import differential, steps_blocks
from symparam.export.view import View
from symparam.sensitivity.analysis import Row
from symparam.sensitivity.held import ALONE, RULED, Held, taken_as
from symparam.sensitivity.quantity import QuantitySensitivity


class DependsView(View):
    """The derivatives of a quantity, which can be written in every format."""

    def __init__(self, found: QuantitySensitivity, notation: Notation = PRESETS["paper"]) -> None:
        self.found, self.notation = found, notation

    @property
    def rows(self) -> tuple[Row, ...]:
        """A symbol under a convention each."""
        return self.found.rows

    def document(self) -> Document:
        """The derivatives as a document."""
        return depends_document(self.found, self.notation)

    def json(self) -> dict[str, Any]:
        """The derivatives as data."""
        return depends_json(self.found)

    def __repr__(self) -> str:
        d = self.found.derivation
        return f"<sensitivity of {d.quantity.name} of {d.model.name}: {len(self.rows)} derivatives>"


def depends_document(s: QuantitySensitivity, notation: Notation | None = None) -> Document:
    """What is counted, its formula, and its derivatives with what is held fixed."""
    d = s.derivation
    formula = Display((Equality(ex.Sym(d.quantity.symbol), (("=", plain_terms(d.formula)),)),))
    blocks = (Heading(spans("What is counted")), of_quantity(d), formula,
              *depends_blocks(s, notation))
    named = tuple(_named(s))
    return resting(Document(f"{d.model.name}: {d.quantity.title}, what it depends on", blocks,
                            named), d.model)


def _named(s: QuantitySensitivity) -> Iterator[Named]:
    d = s.derivation
    for row in s.rows:
        words = f"{d.quantity.name} by {row.wrt} {row.held.name}".replace("_", " ")
        yield formula_named(d.model.name, words, row.derivative.expr,
                            f"the derivative of {d.quantity.title} by {row.wrt}, {row.held.name}")


def depends_blocks(s: QuantitySensitivity, notation: Notation | None = None,
                   level: int = 2) -> Iterator[Block]:
    """The derivatives, under headings of a level."""
    d, of = s.derivation, s.derivation.quantity.symbol
    here = ("",) if d.value is None else (
        "; ", Math(ex.Sym(of)), f" = {in_units(d.value, d.quantity.unit)}")
    yield Heading(spans("Derivatives, each proved", *here), level)
    for held, rows in _groups(s.rows):
        yield Paragraph(tuple(_convention(held)))
        yield from displays((Equality(differential(of, row.wrt), (
            ("=", plain_terms(in_front(row.derivative.expr))),)) for row in rows), notation)
    if d.value is None:
        return
    yield Table(
        (Column("with respect to"), Column("held fixed"), Column("here", "right"),
         Column("elasticity", "right"), Column("degree", "right")), tuple(map(_numbers, s.rows)))
    yield Items((spans("elasticity: by how many per cent ", Math(ex.Sym(of)), " grows for each per "
                       "cent of the symbol"), spans("degree: its highest power in the formula")))
    yield from steps_blocks(s.rows, d.value, level)


def _numbers(row: Row) -> tuple[Cell, ...]:
    here, relative = row.here or 0, row.relative or Fraction(0)
    shown = exact_number(here) if isinstance(here, int) else rounded(here, 3)
    return (Math(ex.Sym(row.wrt)), row.held.name, shown, rounded(relative, 3),
            str(row.derivative.degree))


def _groups(rows: tuple[Row, ...]) -> Iterator[tuple[Held, list[Row]]]:
    """Rows under one convention with the same equations, those with all others fixed first."""
    groups: dict[tuple[bool, str, tuple[str, ...]], list[Row]] = {}
    for row in rows:
        equations = tuple(sorted(map(str, row.held.equations)))
        groups.setdefault((row.held.name != ALONE, row.held.name, equations), []).append(row)
    for key in sorted(groups):
        yield groups[key][0].held, groups[key]


def _convention(held: Held) -> Iterator[Span]:
    if held.name == ALONE:
        yield "All others held fixed:"
        return
    yield "By rule" if held.name == RULED else "Ratios kept"
    for eq in sorted(held.equations, key=lambda eq: order_key(eq.dim)):
        yield ", "
        yield Math(ex.Sym(eq.dim), "=", eq.expr)
        yield f" ({eq.rounding})" if eq.rounding else ""
    if held.relaxed:
        yield "; the derivative takes "
        for i, follow in enumerate(held.relaxed):
            yield ", " if i else ""
            yield Math(ex.Sym(follow.dim), "=", follow.equation.unrounded.expr)
        yield ", without what the rule rounds"
    yield "; the others held fixed:"


def depends_json(s: QuantitySensitivity) -> dict[str, Any]:
    """The derivatives as data; fractions are text, expressions are read back by the grammar."""
    d = s.derivation
    names = sorted({*d.symbols(), *(row.wrt for row in s.rows)}, key=order_key)
    return {"model": d.model.name, "quantity": d.quantity.name, "unit": d.quantity.unit,
            "symbol": d.quantity.symbol, "convention": d.quantity.convention,
            "taken": list(taken(d)), "formula": str(d.formula),
            "value": None if d.value is None else number(d.value),
            "dims": {name: d.values[name] for name in names if name in d.values},
            "missing": [name for name in d.missing if name in names],
            "rows": depends_rows(s), **resting_data(d.model)}


def depends_rows(s: QuantitySensitivity) -> list[dict[str, Any]]:
    """The derivatives alone, as data."""
    return [_row(row) for row in s.rows]


def _row(row: Row) -> dict[str, Any]:
    follows, put_in = [str(eq) for eq in row.held.equations], row.derivative.put_in
    return {"wrt": row.wrt, "held": row.held.name, "follows": follows,
            "relaxed": taken_as(row.held), "derivative": str(row.derivative.expr),
            "derivative_put_in": put_in and str(put_in.expr), "status": row.status,
            "here": None if row.here is None else number(row.here),
            "elasticity": None if row.relative is None else number(row.relative),
            "steps": [step_data(step) for step in row.steps]}
