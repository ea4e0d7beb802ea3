"""A solution as a document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from symparam import expression as ex
from symparam.arithmetic import decimal
from symparam.export.derivation_named import solution_named
from symparam.export.document import (
    Block,
    Braced,
    Cell,
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
from symparam.export.notation import PRESETS, Notation
from symparam.export.numbers import grouped, short
from symparam.export.view import View
from symparam.solve import Configuration, Solution

#: A formula longer than this is written with a letter for its longest sum.
LONGEST = 72
LETTERS = "bcuwxyz"


@dataclass(frozen=True, repr=False)
class SolutionView(Solution, View):
    """A solution that can be written in every format; in a notebook it shows itself."""

    notation: Notation = PRESETS["paper"]

    @classmethod
    def wrap(cls, solution: Solution, notation: Notation) -> SolutionView:
        """A solution with these methods."""
        own = {f.name: getattr(solution, f.name) for f in fields(Solution)}
        return cls(**own, notation=notation)

    def document(self) -> Document:
        """Closed forms, real roots, configurations, and what was searched and assumed."""
        return solve_document(self)

    def json(self) -> dict[str, Any]:
        """The solution as data."""
        return self.to_json()


def solve_document(s: Solution) -> Document:
    """Closed forms, real roots, configurations, and what was searched and assumed."""
    blocks: list[Block] = [*_closed(s), *_configurations(s), *_searched(s)]
    title = f"{s.model}: {grouped(s.target)} parameters wanted ({short(s.target)})"
    return Document(title, tuple(blocks), solution_named(s))


def _closed(s: Solution) -> Iterator[Block]:
    if s.closed_forms:
        yield Heading(spans("In closed form (proved by putting it back)"))
    for form in s.closed_forms:
        if form.expr is not None:
            yield Display(tuple(_equalities(form.symbol, form.expr)))
        yield Paragraph(spans(Math(ex.Sym(form.symbol)), f": {form.why}."))
    for name, root in s.real.items():
        here: list[Span] = []
        for dim, value in s.real_at.items():
            if dim != name:
                here += [", " if here else " for ", Math(ex.Sym(dim), "=", ex.Num(value))]
        yield Paragraph(spans("Real root: ", Math(ex.Sym(name)), f" = {decimal(root, 4)}", *here,
                              "."))


def _equalities(name: str, expr: ex.Expr) -> Iterator[Equality]:
    """A formula; the longest sum in a long one stands apart, under a letter."""
    inner = [e for e in ex.walk(expr) if isinstance(e, ex.Sum) and e != expr
             and not any(_is_root(below) or below == ex.Sym("P") for below in ex.walk(e))]
    if len(str(expr)) <= LONGEST or not inner:
        yield Equality(ex.Sym(name), (("=", plain_terms(expr)),))
        return
    longest = max(inner, key=lambda e: len(str(e)))
    letter = ex.Sym(next(c for c in LETTERS if c not in ex.symbols_in(expr)))
    yield Equality(ex.Sym(name), (("=", (Braced(_lettered(expr, longest, letter)),)),))
    yield Equality(letter, (("=", plain_terms(longest)),))


def _is_root(expr: ex.Expr) -> bool:
    return isinstance(expr, ex.Power) and isinstance(expr.exponent, Fraction)


def _lettered(expr: ex.Expr, part: ex.Expr, letter: ex.Sym) -> ex.Expr:
    """A formula with a part of it replaced by a letter."""
    if expr == part:
        return letter
    match expr:
        case ex.Sum(terms):
            return ex.Sum(tuple(_lettered(t, part, letter) for t in terms))
        case ex.Product(factors):
            return ex.Product(tuple(_lettered(f, part, letter) for f in factors))
        case ex.Quotient(top, bottom):
            return ex.Quotient(_lettered(top, part, letter), _lettered(bottom, part, letter))
        case ex.Power(base, exponent):
            return ex.Power(_lettered(base, part, letter), exponent)
    return expr


def _configurations(s: Solution) -> Iterator[Block]:
    percent = f"{decimal(100 * s.tolerance, 2).rstrip('0').rstrip('.')} %"
    if not s.configurations:
        yield Heading(spans("No configuration"))
        return
    if s.met:
        of = f" of {grouped(s.within)}" if s.within > len(s.configurations) else ""
        yield Heading(spans(f"Configurations within {percent}, the best "
                            f"{len(s.configurations)}{of}"))
    else:
        yield Heading(spans(f"No configuration within {percent}; the nearest misses"))
    notes = list(s.preferences)
    yield _table(s, notes)
    if notes:
        yield Items(tuple(spans(f"{i}: {note}") for i, note in enumerate(notes, 1)))
        if s.met:
            yield Paragraph(spans("Order: exact ones, then by how many of these are met, then by "
                                  "error."))


def _table(s: Solution, notes: list[str]) -> Table:
    first = s.configurations[0].dims
    varying = [name for name in first if name not in s.fixed or len(
        {c.dims[name] for c in s.configurations}) > 1]
    heads = {"n_heads", "d_head"} <= set(first)
    plain = [n for n in first if n in varying and not (heads and n in {"n_heads", "d_head"})]
    if all(c.dims.get("n_kv") == c.dims.get("n_heads") for c in s.configurations):
        plain = [n for n in plain if n != "n_kv"]
    near = any(c.near for c in s.configurations)
    ratio = {"d_ff", "d_model"} <= set(first)
    columns = [*(Column(n, "right") for n in plain)]
    columns += [Column("heads", "right")] if heads else []
    columns += [Column("d_ff/d", "right")] if ratio else []
    columns += [Column("parameters", "right"), Column("error", "right")]
    columns += [Column("meets")] if notes else []
    columns += [Column("near")] if near else []
    rows = tuple(tuple(_cells(c, plain, heads, ratio, notes, near)) for c in s.configurations)
    return Table(tuple(columns), rows)


def _cells(c: Configuration, plain: list[str], heads: bool, ratio: bool, notes: list[str],
           near: bool) -> Iterator[Cell]:
    yield from (str(c.dims[n]) for n in plain)
    if heads:
        yield f"{c.dims['n_heads']}×{c.dims['d_head']}"
    if ratio:
        yield decimal(Fraction(c.dims["d_ff"], c.dims["d_model"]), 2)
    yield grouped(c.total)
    yield "exact" if c.exact else _signed(c.error)
    if notes:
        yield " ".join(str(i) for i, n in enumerate(notes, 1) if n in c.notes)
    if near:
        yield c.near or ""


def _signed(error: Fraction) -> str:
    percent = 100 * error
    places = 3 if abs(percent) >= Fraction(1, 1000) else 6
    return f"{'+' if error > 0 else ''}{decimal(percent, places)} %".replace("-", "−")


def _searched(s: Solution) -> Iterator[Block]:
    yield Heading(spans("What was searched"))
    whole = "none left out" if s.complete else "not completely"
    yield Items((*(spans(axis) for axis in s.lattice),
                 spans(f"{grouped(s.covered)} points covered, {grouped(s.enumerated)} of them "
                       f"enumerated, {whole}")))
    if s.assumed:
        yield Heading(spans("What was assumed"))
        yield Items(tuple(spans(f"{text}: {reason}") for text, reason in s.assumed))
