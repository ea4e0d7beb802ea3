"""The tables of a derivation: its symbols, its entries, what it leaves out, its numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from symparam import components
from symparam import expression as ex
from symparam.component import Component
from symparam.constraints import Equation, Standing
from symparam.derivation.parts import Part, written
from symparam.derivation.plan import Derivation
from symparam.derivation.step import matrix_names, short
from symparam.documents.derivations.by_part import apart, of_path
from symparam.ledger import Matrix, in_brackets
from symparam.notation.numbers import grouped, percent
from symparam.parts import parts_of_dims
from symparam.quantities.quantity import Share
from symparam.symbols import from_sympy, right_side
from symparam.writers.document import (
    Block,
    Cell,
    Column,
    Items,
    Label,
    Math,
    Source,
    Span,
    Table,
    spans,
)


def symbols_table(d: Derivation, names: Iterable[str] | None = None, part: str = "") -> Table:
    """The symbols with their meaning, and their numbers where there are any.

    Args:
        d: the derivation.
        names: those that are wanted; all if None.
        part: the part of the model that they are all of, which their meanings then need not say.
    """
    said = f" ({part or d.model.part})"
    values = d.values if d.of_parameters or d.numbers else {}
    rows = []
    for name in d.symbols() if names is None else names:
        row: list[Any] = [Math(ex.Sym(name)), d.model.describe(name).meaning.removesuffix(said)]
        if values:
            row.append(Math(ex.Num(values[name])) if name in values else "")
        rows.append(tuple(row))
    columns = [Column("symbol"), Column("meaning"), *([Column("here", "right")] if values else ())]
    return Table(tuple(columns), tuple(rows), role="notation")


def symbols_tables(d: Derivation) -> list[Block]:
    """The symbols, of a model that is made of several under the names of its parts."""
    of = parts_of_dims(d.model) if len(d.model.parts) > 1 else {}
    first = d.model.parts[0] if d.model.parts else ""
    return apart(d, d.symbols(), lambda name: of.get(name, first),
                 lambda names: symbols_table(d, names, of.get(names[0], "")))


def _shape(matrix: Matrix) -> Math | tuple[Span, ...]:
    parts: list[Span] = []
    for i, extent in enumerate(matrix.shape):
        side = ex.node(extent)
        is_sum = isinstance(side, ex.Sum) and len(matrix.shape) > 1
        parts += [("" if i == 0 else " × ") + "(" * is_sum, Math(side), ")" * is_sum]
    return tuple(parts)


def matrices_tables(d: Derivation) -> list[Block]:
    """Each part's matrices, with shapes and copies; of a model that is made of several under the
    names of its parts."""
    return apart(d, d.parts, lambda part: of_path(part.paths[0], d),
                 lambda parts: matrices_table(d, parts))


def matrices_table(d: Derivation, parts: Iterable[Part]) -> Table:
    """The matrices of symbols' parts, with shapes and copies."""
    rows = []
    for part in parts:
        for i, path in enumerate(part.paths):
            m = d.ledger[path]
            copies = Math(copies_of_matrix(part, part.shares[i], m))
            rows.append((part.title if i == 0 else "", Label((short(m.name),)), _shape(m), copies))
    columns = (Column("part"), Column("matrix"), Column("shape"), Column("copies", "right"))
    return Table(columns, tuple(rows))


def entries_table(d: Derivation) -> Table:
    """Each entry by component, its factors as they are written, of one layer."""
    rows: list[tuple[Cell, ...]] = []
    for part in d.parts:
        for i, share in enumerate(part.shares):
            word = share.path.rpartition(".")[2]
            rows.append((part.title if i == 0 else "", (Label(matrix_names([word])), _which(word)),
                         Math(written(share)), Math(part.copies)))
    unit = d.quantity.unit
    if any(part.repeated for part in d.parts):
        columns = (Column("component"), Column("entry"), Column(unit), Column("layers", "right"))
        return Table(columns, tuple(rows))
    if any(part.title for part in d.parts):
        return Table((Column("component"), Column("entry"), Column(unit)),
                     tuple(row[:3] for row in rows))
    return Table((Column("entry"), Column(unit)), tuple(row[1:3] for row in rows))


def _which(word: str) -> str:
    """What tells shares of one entry apart: its scales, its layers with a window."""
    inside = in_brackets(word)
    return f" ({', '.join(inside)})" if inside else ""


def sources(d: Derivation) -> Iterator[Items]:
    """Where each kind of component is defined, besides the model's own source."""
    if by_title := sources_of_parts(d):
        yield Items(tuple(spans(f"{title}: ", Source(source))
                          for title, source in by_title.items()))


def sources_of_parts(d: Derivation) -> dict[str, str]:
    """The source of each kind of component by its title, besides the model's own."""
    listed = {path.rpartition(".")[0] for part in d.parts for path in part.paths}
    found: dict[Component, None] = {}
    for stack, slot in d.model.slots():
        if f"{stack.name}.{slot.path}" in listed:
            found[slot.component] = None
    by_title: dict[str, str] = {}
    for component in found:
        named = as_used(component, d)
        if named.source != d.model.source:
            by_title[named.title] = named.source
    return by_title


def as_used(component: Component, d: Derivation) -> Component | type[Component]:
    """The kind that a component is with the numbers here: grouped queries with n_kv = n_heads
    are multi-head attention, which stands in the same file, and cited as such."""
    used = {(a.equation.dim, a.equation.expr) for a in d.assumptions
            if a.equation.standing is Standing.CANDIDATE}
    for cls in components.beside(component):
        if any(eq.standing is Standing.DEFINITION and (eq.dim, eq.expr) in used
               for eq in cls.equations):
            return cls
    return component


def dropped_table(d: Derivation) -> Table:
    """What a leading term leaves out, with sizes where there are numbers."""
    columns = [Column("left out"), Column("where it comes from")]
    if d.numbers is None:
        return Table(tuple(columns), tuple((Math(x.term), x.origin) for x in d.dropped))
    columns += [Column(d.quantity.unit, "right"), Column(f"of {d.symbol}", "right")]
    total = d.numbers.result
    rows: list[tuple[Cell, ...]] = [
        (Math(x.term), x.origin, grouped(x.numel or 0), percent(x.numel or 0, total, 3))
        for x in d.dropped]
    left = sum(Fraction(x.numel or 0) for x in d.dropped)
    rows.append(("sum", f"{grouped(total)} − {grouped(total - left)}", grouped(left),
                 percent(left, total, 3)))
    return Table(tuple(columns), tuple(rows), total=True)


def numbers_table(d: Derivation) -> Table:
    """Each part in numbers: one copy, how many, all of them; the last row sums them."""
    values = d.resolution.values
    rows: list[tuple[Cell, ...]] = []
    join = {step.subject: step.after.expr for step in d.steps if step.rule == "join"}
    for part in d.parts:
        one, copies = ex.evaluate(join[part.symbol], values), ex.evaluate(part.copies, values)
        rows.append((Math(ex.Sym(part.symbol)), grouped(one), grouped(copies),
                     grouped(one * copies)))
    rows.append(("sum", "", "", grouped(d.value or 0)))
    columns = (Column("part"), Column("in one copy", "right"), Column("copies", "right"),
               Column(d.quantity.unit, "right"))
    return Table(columns, tuple(rows), total=True)


def conventions_table(d: Derivation) -> Table:
    """What else is called the number of parameters, each by its formula."""
    rows: list[tuple[Cell, ...]] = []
    for c in d.conventions:
        row: list[Cell] = [c.title, Math(c.term.shown)]
        if d.numbers is not None:
            row.append(grouped(c.value or 0))
        rows.append(tuple(row))
    columns = [Column("counted"), Column("formula")]
    if d.numbers is not None:
        columns.append(Column("parameters", "right"))
    return Table(tuple(columns), tuple(rows))


def copies_of_matrix(part: Part, share: Share, matrix: Matrix) -> ex.Expr:
    """How often a part has a matrix in all layers: its number of layers, then what is inside."""
    factors = list(map(ex.node, share.factors))
    inner = ([ex.node(index.stored), ex.node(index.active)]
             for index in matrix.indices[1 if part.repeated else 0:])
    return ex.product_of(part.copies, *(stored if stored in factors else active
                                        for stored, active in inner))


def relation(given: Equation) -> Math:
    """An equation as people state it; one that rounds with its dim alone on the left."""
    left, right = given.sides()
    if given.rounding:
        left, right = ex.Sym(given.dim), from_sympy(right_side(given))
    return Math(left, "=", right)
