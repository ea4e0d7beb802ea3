"""How a quantity changes with the dims, as a document or as blocks of one.

A section of another document takes the blocks::

    from symparam.sensitivity import analyse
    from symparam.documents.sensitivities.document import sensitivity_blocks
    blocks += sensitivity_blocks(analyse(model), level=3)
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from symparam import expression as ex
from symparam.constraints import Equation
from symparam.derivation.whole import in_front
from symparam.dims import order_key
from symparam.documents.common.foundation import resting
from symparam.documents.common.view import View
from symparam.documents.derivations.about import in_units, of_quantity
from symparam.documents.sensitivities.named import sensitivity_named
from symparam.documents.sensitivities.shape import shape_blocks
from symparam.documents.sensitivities.steps import step_blocks
from symparam.notation.notation import PRESETS, Notation
from symparam.notation.numbers import exact_number, grouped, rounded, short
from symparam.sensitivity import DimRow, Sensitivity
from symparam.sensitivity.answer import Measured
from symparam.sensitivity.compared import Doubling, Slope
from symparam.sensitivity.crossover import Crossover
from symparam.sensitivity.held import ALONE, RULED, Held
from symparam.writers.document import (
    Block,
    Column,
    Display,
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
from symparam.writers.sub_sums import displays, formulas

_TITLES = {"P": "All parameters", "active": "The parameters that a token touches"}

#: So many dims that are held fixed are named one by one.
MOST_NAMED = 8


class SensitivityView(View):
    """A sensitivity that can be written in every format; in a notebook it shows itself."""

    def __init__(self, found: Sensitivity, notation: Notation = PRESETS["paper"]) -> None:
        self.found, self.notation = found, notation

    @property
    def total(self) -> Measured:
        """The quantity itself, and its derivatives."""
        return self.found.total

    @property
    def rows(self) -> tuple[DimRow, ...]:
        """Its derivatives: a dim under a convention each."""
        return self.found.rows

    @property
    def doublings(self) -> tuple[Doubling, ...]:
        """What twice a dim multiplies it by."""
        return self.found.doublings

    @property
    def slopes(self) -> tuple[Slope, ...]:
        """How layers go with width while it stays."""
        return self.found.slopes

    @property
    def crossovers(self) -> tuple[Crossover, ...]:
        """Where token embedding and head fall under a share of it."""
        return self.found.crossovers

    def document(self) -> Document:
        """The sensitivity as a document."""
        return sensitivity_document(self.found, self.notation)

    def json(self) -> dict[str, Any]:
        """The sensitivity as data."""
        from symparam.documents.sensitivities.data import sensitivity_json

        return sensitivity_json(self.found)

    def certificate(self) -> dict[str, Any]:
        """The certificate of the derivatives."""
        from symparam.certificate.of_sensitivity import sensitivity_certificate

        return sensitivity_certificate(self.found)

    def __repr__(self) -> str:
        return repr(self.found)


def sensitivity_document(s: Sensitivity, notation: Notation | None = None) -> Document:
    """Derivatives with what is held fixed, steps, doublings, slopes and crossovers; of another
    quantity than the number of parameters first what is counted, and its formula."""
    own, beforehand = s.quantity, list[Block]()
    title = f"what {own.title} depends on" if s.subject.of_parameters else (
        f"{own.title}, what it depends on")
    if not s.subject.of_parameters:
        beforehand = [Heading(spans("What is counted")), of_quantity(s), Display((
            Equality(ex.Sym(own.symbol), (("=", plain_terms(s.total.formula)),)),))]
    return resting(Document(f"{s.model.name}: {title}",
                            (*beforehand, *sensitivity_blocks(s, notation=notation)),
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
    of = measured.quantity.symbol
    title = f"{_TITLES[measured.name]}: derivatives" if len(s.measures) > 1 else "Derivatives"
    yield Heading(spans(title, *_here(measured)), level)
    for held, rows in _groups(measured.rows):
        yield Paragraph(tuple(_convention(s, held, rows)))
        yield from displays((_derivative(of, row) for row in rows), notation)
        yield from _relaxed(of, held, rows, notation)
        if measured.value is None:
            yield from _elasticities(of, rows, notation)
    if measured.value is not None and measured.rows:
        yield _numbers(measured)
        yield Paragraph(spans(
            "Elasticity: by how many per cent ", Math(ex.Sym(of)), " grows for each per cent of "
            "the dim. Degree: the highest power of the dim in it."))
        yield from step_blocks(measured.rows, measured.value, level)


def _here(measured: Measured) -> Iterator[Span]:
    yield ", each proved"
    if isinstance(measured.value, int) and measured.quantity.unit == "parameters":
        told = f"{grouped(measured.value)} here ({short(measured.value)})"
    elif measured.value is not None:
        told = in_units(measured.value, measured.quantity.unit)
    else:
        return
    yield from ("; ", Math(ex.Sym(measured.quantity.symbol)), f" = {told}")


def _groups(rows: tuple[DimRow, ...]) -> Iterator[tuple[Held, list[DimRow]]]:
    """Rows under one convention with the same equations, those with all others fixed first."""
    groups: dict[tuple[str, tuple[str, ...]], list[DimRow]] = {}
    for row in rows:
        key = row.held.name, tuple(sorted(map(str, row.held.equations)))
        groups.setdefault(key, []).append(row)
    for found in sorted(groups.values(), key=lambda g: _ORDER.index(g[0].held.name)):
        yield found[0].held, found


_ORDER = (ALONE, RULED, "ratios kept")


def _convention(s: Sensitivity, held: Held, rows: list[DimRow]) -> Iterator[Span]:
    if held.name == ALONE:
        yield "All others held fixed:"
        return
    ruled = held.name == RULED
    yield "By rule, " if ruled else "Ratios kept, "
    yield from _listed(eq for eq in held.equations if not ruled or eq.dim not in held.aside)
    if ruled and held.aside:
        yield "; here "
        yield from _listed(eq for eq in held.equations if eq.dim in held.aside)
    fixed = held.fixed(sorted(s.subject.names, key=order_key)) if len(rows) == 1 else ()
    if not fixed or len(fixed) > MOST_NAMED:
        yield "; the others held fixed:"
        return
    for i, name in enumerate(fixed):
        yield "; held fixed: " if i == 0 else ", "
        yield Math(ex.Sym(name))
    yield ":"


def _relaxed(of: str, held: Held, rows: list[DimRow], notation: Notation | None) -> Iterator[Block]:
    """What a derivative takes in place of a rule that rounds, and its form with that put in."""
    if not held.relaxed:
        return
    put_in = [Equality(differential(of, row.wrt), (("=", plain_terms(row.derivative.put_in.expr)),))
              for row in rows if row.derivative.put_in is not None]
    yield Paragraph((
        "A premise: ", *_listed(follow.taken for follow in held.relaxed),
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


def _derivative(of: str, row: DimRow) -> Equality:
    return Equality(differential(of, row.wrt), (("=", plain_terms(
        in_front(row.derivative.expr))),))


def _elasticities(of: str, rows: list[DimRow], notation: Notation | None) -> Iterator[Block]:
    """Elasticities in symbols: how many per cent a count grows by for each per cent of a dim."""
    pairs = ((differential(of, row.wrt, "∂ln "), row.elasticity.expr) for row in rows)
    yield from formulas(pairs, notation)


def _numbers(measured: Measured) -> Table:
    """The derivatives here: of parameters exactly, of bytes and operations fractions rounded."""
    columns = (Column("with respect to"), Column("held fixed"), Column("here", "right"),
               Column("elasticity", "right"), Column("degree", "right"))
    exact = measured.quantity.unit == "parameters"
    return Table(columns, tuple(
        (Math(ex.Sym(row.wrt)), row.held.name,
         exact_number(row.here or 0) if exact or isinstance(row.here, int)
         else rounded(row.here or 0, 3),
         rounded(row.relative or Fraction(0), 3), str(row.derivative.degree))
        for row in measured.rows))


def _notes(s: Sensitivity) -> Iterator[Block]:
    notes: list[tuple[Span, ...]] = []
    for name, times in s.shared.items():
        often = "" if times is None else f" {times} times"
        notes.append(spans(f"The layer is shared: it is stored once and applied{often}, so that ",
                           Math(ex.Sym(name)), " adds no parameters." if s.subject.of_parameters
                           else " adds nothing."))
    rules = {f.equation for m in s.measures for row in m.rows for f in row.held.follows
             if not f.exact}
    for eq in sorted(rules, key=str):
        notes.append((*_listed([eq]), ": a derivative takes the slope of this and leaves ",
                      Math(ex.Sym(eq.dim)), " where it is."))
    if s.subject.of_parameters:
        notes += [spans(f"Left out: {phrase}.") for phrase in s.model.left_out]
    if notes:
        yield Items(tuple(notes))
