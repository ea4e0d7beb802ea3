"""A solution as a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
from symparam.export.numbers import grouped, several, short
from symparam.export.view import View
from symparam.expression import Rational
from symparam.solve import Configuration, Solution
from symparam.solve.closed_form import ClosedForm
from symparam.solve.goals import Goal
from symparam.solve.guide import SOURCE, Suggestion
from symparam.solve.roots import Root

#: A formula longer than this is written with a letter for its longest sum.
LONGEST = 72
LETTERS = "bcuwxyz"

#: Constraints that stand in the way, and checks that fail, are named up to so many.
MOST_BINDINGS, MOST_CHECKS = 6, 4


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


def solve_document(s: Solution, suggestion: Suggestion | None = None) -> Document:
    """Closed forms, real roots, configurations, and what was searched and assumed.

    Args:
        s: the solution.
        suggestion: a rule of thumb to show beside it.
    """
    blocks: list[Block] = [*_closed(s), *_configurations(s), *_ranking(s), *_checked(s),
                           *_in_the_way(s)]
    if suggestion is not None:
        blocks += heuristic([(s, suggestion)])
    return Document(_title(s), (*blocks, *searched(s)), solution_named(s))


def heuristic(pairs: Sequence[tuple[Solution, Suggestion]]) -> Iterator[Block]:
    """What a rule of thumb suggests, and what it misses by, above the solver's answer."""
    yield Heading(spans("The guide's rule of thumb beside it"))
    columns = (Column(""), *(Column(n, "right") for n in (
        "wanted", "L", "d_model", "d_ff", "heads", "parameters", "error")))
    rows = []
    for solution, suggestion in pairs:
        rows.append(_thumb("guide", suggestion.target, suggestion.dims, suggestion.total))
        if solution.configurations:
            best = solution.configurations[0]
            rows.append(_thumb("solved", solution.target, best.dims, best.total))
    yield Table(columns, tuple(rows))
    yield Paragraph(spans("The guide's parameters are counted as it counts them, with a tied head. "
                          f"Its source: {SOURCE}"))


def _thumb(label: str, target: int, dims: Mapping[str, int], total: int) -> tuple[Cell, ...]:
    sizes = [str(dims[name]) if name in dims else "–" for name in ("L", "d_model", "d_ff")]
    heads = f"{dims['n_heads']}×{dims['d_head']}" if {"n_heads", "d_head"} <= set(dims) else "–"
    return (label, short(target), *sizes, heads, grouped(total),
            signed(Fraction(total - target, target)))


def _title(s: Solution) -> str:
    wanted = [f"{several(s.target, 'parameter')} wanted ({short(s.target)})"]
    for goal in s.goals[1:]:
        limit = "at most " if goal.relation == "<=" else ""
        wanted.append(f"{goal.name} {limit}{grouped(goal.value)} ({short(goal.value)})")
    return f"{s.model}: {', '.join(wanted)}"


def _closed(s: Solution) -> Iterator[Block]:
    if s.closed_forms:
        proved = " (proved by putting it back)" if any(f.formulas for f in s.closed_forms) else ""
        yield Heading(spans(f"In closed form{proved}"))
    for form in s.closed_forms:
        for formula in form.formulas:
            yield Display(tuple(_equalities(form.symbol, formula)))
        yield Paragraph(spans(Math(ex.Sym(form.symbol)), f": {form.why}."))
    by_name = {form.symbol: form for form in s.closed_forms}
    for name, roots in s.roots.items():
        yield Paragraph(tuple(_roots(s, by_name[name], roots)))


def _roots(s: Solution, form: ClosedForm, roots: Sequence[Root]) -> Iterator[Span]:
    """The real roots on numbers: those of use, with bounds where no formula gives them, and
    those that are not, with the reason."""
    name = form.symbol
    kept = [root for root in roots if not root.rejected]
    yield f"Real root{'s' if len(kept) > 1 else ''}: " if kept else "No root is of use. "
    for i, root in enumerate(kept):
        yield from ("; " if i else "", Math(ex.Sym(name)), f" = {decimal(root.value, 4)}")
        if not form.formulas and root.low != root.high:
            low, high = root.low * 10**8 // 1, -(-root.high * 10**8 // 1)
            yield (f", between {decimal(Fraction(low, 10**8), 8)} and "
                   f"{decimal(Fraction(high, 10**8), 8)}")
    if kept:
        yield from _given(s, name)
        yield "."
    for reason in dict.fromkeys(root.rejected for root in roots if root.rejected):
        others = [decimal(root.value, 4) for root in roots if root.rejected == reason]
        yield f" Rejected: {', '.join(others).replace('-', '−')}, as {reason}."


def _given(s: Solution, name: str) -> Iterator[Span]:
    first = True
    for dim, value in s.real_at.items():
        if dim != name:
            yield from (" for " if first else ", ", Math(ex.Sym(dim), "=", ex.Num(value)))
            first = False


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
    within = per_cent(s.tolerance)
    if not s.configurations:
        yield Heading(spans("No configuration"))
        return
    shown = len(s.configurations)
    if s.met:
        of = f" of {grouped(s.within)}" if s.within > shown else ""
        yield Heading(spans(f"Configurations within {within}, the best {shown}{of}"))
    elif s.front:
        of = f", {shown} of {grouped(s.front)}" if s.front > shown else ""
        yield Heading(spans(f"No configuration meets everything within {within}; those of which "
                            f"none is nearer in all (the Pareto front{of})"))
    else:
        yield Heading(spans(f"No configuration within {within}; the nearest misses"))
    yield configuration_table(s.configurations, _varying(s))
    if len(s.goals) > 1:
        yield _quantities(s)


def per_cent(share: Fraction) -> str:
    """A share in per cent, as short as it can be.

    >>> per_cent(Fraction(1, 100)), per_cent(Fraction(1, 400))
    ('1 %', '0.25 %')
    """
    text = decimal(100 * share, 4)
    return f"{text.rstrip('0').rstrip('.')} %"


def _varying(s: Solution) -> list[str]:
    """The dims that are not the same by request."""
    first = s.configurations[0].dims
    return [name for name in first if name not in s.fixed or len(
        {c.dims[name] for c in s.configurations}) > 1]


def configuration_table(configurations: Sequence[Configuration], varying: Sequence[str],
                        lead: Sequence[tuple[str, Sequence[Cell]]] = ()) -> Table:
    """Configurations, one a row, heads and experts each in one column.

    Args:
        configurations: what to show.
        varying: the dims to show; the others are the same in all.
        lead: columns before them, with their cells; numbers of rows where there are none.
    """
    first = configurations[0].dims
    plain = [n for n in varying if n not in {"n_heads", "d_head", "n_experts", "top_k", "d_expert"}]
    heads = {"n_heads", "d_head"} <= set(first)
    experts = {"n_experts", "top_k", "d_expert"} <= set(first)
    plain += [] if heads else [n for n in ("n_heads", "d_head") if n in varying]
    if not experts:
        plain += [n for n in ("n_experts", "top_k", "d_expert") if n in varying]
    if heads or all(c.dims.get("n_kv") == c.dims.get("n_heads") for c in configurations):
        plain = [n for n in plain if n != "n_kv"]
    columns: list[tuple[str, list[Cell]]] = [(title, list(cells)) for title, cells in lead] or [
        ("#", [str(i) for i in range(1, len(configurations) + 1)])]
    columns += [(n, [str(c.dims[n]) for c in configurations]) for n in plain]
    columns += [("heads", [_heads(c) for c in configurations])] if heads else []
    columns += [("experts", [_experts(c) for c in configurations])] if experts else []
    if {"d_ff", "d_model"} <= set(first):
        columns.append(("d_ff/d", [decimal(Fraction(c.dims["d_ff"], c.dims["d_model"]), 2)
                                   for c in configurations]))
    columns += [("parameters", [grouped(c.total) for c in configurations]),
                ("error", [signed(c.error) for c in configurations])]
    made = [Column(title, "right") for title, _ in columns]
    if any(c.near for c in configurations):
        made.append(Column("near"))
        columns.append(("near", [c.near or "" for c in configurations]))
    rows = tuple(zip(*(cells for _, cells in columns), strict=True))
    return Table(tuple(made), rows)


def _heads(c: Configuration) -> str:
    """``32×128``; with fewer key-value heads, ``32/8×128``."""
    kv = c.dims.get("n_kv", c.dims["n_heads"])
    return f"{c.dims['n_heads']}{f'/{kv}' if kv != c.dims['n_heads'] else ''}×{c.dims['d_head']}"


def _experts(c: Configuration) -> str:
    """``8/128×768``: eight used, of 128, each 768 wide."""
    return f"{c.dims['top_k']}/{c.dims['n_experts']}×{c.dims['d_expert']}"


def signed(error: Fraction) -> str:
    """A relative error with its sign, in per cent; ``exact`` where there is none."""
    if error == 0:
        return "exact"
    percent = 100 * error
    places = 3 if abs(percent) >= Fraction(1, 1000) else 6
    if abs(percent) < Fraction(1, 10**6):
        return f"{'+' if error > 0 else '−'}<10⁻⁶ %"
    return f"{'+' if error > 0 else ''}{decimal(percent, places)} %".replace("-", "−")


def _quantities(s: Solution) -> Table:
    """What each configuration has of all that was wanted."""
    columns, rows = [Column("#", "right")], [[str(i)] for i in range(1, len(s.configurations) + 1)]
    for goal in s.goals:
        columns += [Column(goal.name, "right"), Column("error", "right")]
        for row, found in zip(rows, s.configurations, strict=True):
            row += [grouped(found.counts[goal.name]), _miss(goal, found.counts[goal.name])]
    return Table(tuple(columns), tuple(tuple(row) for row in rows))


def _miss(goal: Goal, count: Rational) -> str:
    if goal.relation == "<=" and count <= goal.value:
        return "within"
    return signed(Fraction(count - goal.value, goal.value))


def _ranking(s: Solution) -> Iterator[Block]:
    """What the order rests on: the points that each configuration has for each preference."""
    if not s.met or not s.preferences:
        return
    yield Paragraph(spans("Order: by the points of the preferences that a configuration meets, "
                          "then by error. Another weight: --weight ffn=3."))
    yield Table((Column("#", "right"), *(Column(p.key, "right") for p in s.preferences),
                 Column("points", "right")), tuple(_points(s, i, c) for i, c in enumerate(
                     s.configurations, 1)))
    yield Items(tuple(spans(f"{p.key} ({p.weight}): {p.name}") for p in s.preferences))


def _points(s: Solution, number: int, c: Configuration) -> tuple[Cell, ...]:
    met = [p.name in c.notes or (p.key == "exact" and c.exact) for p in s.preferences]
    cells = [str(p.weight) if yes else "–" for p, yes in zip(s.preferences, met, strict=True)]
    return (str(number), *cells, str(c.score))


def _checked(s: Solution) -> Iterator[Block]:
    """What holds of the best on the hardware, and what does not."""
    if not s.configurations or not s.configurations[0].checks:
        return
    checks = s.configurations[0].checks
    failed = [check for check in checks if check.passed is False]
    which = "Checks on the first" if len(s.configurations) > 1 else "Checks"
    if not failed:
        yield Paragraph(spans(f"{which}: all {len(checks)} hold."))
        return
    passed = sum(1 for check in checks if check.passed)
    said = "; ".join(f"{check.name}: {check.detail}" for check in failed[:MOST_CHECKS])
    more = f"; and {len(failed) - MOST_CHECKS} more" if len(failed) > MOST_CHECKS else ""
    yield Paragraph(spans(f"{which}: {passed} of {len(checks)} hold. Not: {said}{more}."))


def _in_the_way(s: Solution) -> Iterator[Block]:
    """Which constraints would have to give way; where no single one would do, that."""
    if s.met or s.bindings is None:
        return
    yield Heading(spans("What stands in the way"))
    if s.bindings:
        yield Items(tuple(spans(
            f"{b.constraint}: with {b.instead} there {_are(b.within)}")
            for b in s.bindings[:MOST_BINDINGS]))
    else:
        nearest = min((abs(c.error) for c in s.configurations), default=None)
        tolerance = "" if nearest is None or len(s.goals) > 1 else (
            f"; the nearest is {signed(nearest).removeprefix('+')} away")
        yield Paragraph(spans("No single bound, step, ratio or number of the lattice: with each of "
                              f"them alone loosened there is no configuration either{tolerance}."))


def _are(count: int) -> str:
    return "would be one" if count == 1 else f"would be {grouped(count)}"


def searched(s: Solution) -> Iterator[Block]:
    """The lattice, how many points it has, and what was assumed."""
    yield Heading(spans("What was searched"))
    whole = "none left out" if s.complete else "not completely"
    why = dict(s.assumed)
    lines = [f"{line}{f' ({why[line]})' if line in why else ''}" for line in s.lattice]
    yield Items((*(spans(line) for line in lines),
                 spans(f"{grouped(s.covered)} points covered, {grouped(s.enumerated)} of them "
                       f"enumerated, {whole}")))
    others = [(text, reason) for text, reason in s.assumed if text not in s.lattice]
    if others:
        yield Heading(spans("What else was assumed"))
        yield Items(tuple(spans(f"{text}: {reason}") for text, reason in others))
