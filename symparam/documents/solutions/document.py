"""A solution as a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from fractions import Fraction
from typing import Any

from symparam import expression as ex
from symparam.arithmetic import decimal
from symparam.dataclass import dataclass
from symparam.documents.common.foundation import resting_on
from symparam.documents.common.view import Tabular
from symparam.documents.derivations.named import solution_named
from symparam.documents.solutions.formulas import equalities
from symparam.documents.solutions.tables import (
    configuration_tables,
    configurations_csv,
    nearness,
    per_cent,
    quantities,
    ranking,
    signed,
)
from symparam.errors import some
from symparam.notation.notation import PRESETS, Notation
from symparam.notation.numbers import gigabytes, grouped, several, short
from symparam.resolve import MAX_DIM
from symparam.solve import Solution
from symparam.solve.formulas.closed_form import ClosedForm
from symparam.solve.formulas.roots import Root
from symparam.solve.guide import SOURCE, Suggestion
from symparam.solve.requests.goals import Goal
from symparam.solve.requests.targets import is_run
from symparam.writers.document import (
    Block,
    Cell,
    Column,
    Display,
    Document,
    Heading,
    Items,
    Math,
    Paragraph,
    Span,
    Table,
    spans,
)

#: Constraints that stand in the way, and checks that fail, are named up to so many.
MOST_BINDINGS, MOST_CHECKS = 6, 4


@dataclass(frozen=True, repr=False)
class SolutionView(Solution, Tabular):
    """A solution that can be written in every format; in a notebook it shows itself."""

    notation: Notation = PRESETS["paper"]
    suggestion: Suggestion | None = None

    @classmethod
    def wrap(cls, solution: Solution, notation: Notation,
             suggestion: Suggestion | None = None) -> SolutionView:
        """A solution with these methods, and a rule of thumb to show beside it."""
        own = {f.name: getattr(solution, f.name) for f in fields(Solution)}
        return cls(**own, notation=notation, suggestion=suggestion)

    def document(self) -> Document:
        """Closed forms, real roots, configurations, and what was searched and assumed."""
        return solve_document(self, self.suggestion)

    def csv(self) -> str:
        """The configurations as comma-separated values, numbers in full."""
        return configurations_csv([((number,), c) for number, c in enumerate(
            self.configurations, 1)], ("number",))

    def json(self) -> dict[str, Any]:
        """The solution as data."""
        beside = self.suggestion
        return {**self.to_json(), "heuristic": None if beside is None else beside.to_json()}

    def certificate(self) -> dict[str, Any]:
        """The certificate of the closed forms, their roots, and the configurations."""
        from symparam.certificate.of_solution import solution_certificate

        return solution_certificate(self)


def solve_document(s: Solution, suggestion: Suggestion | None = None) -> Document:
    """Closed forms, real roots, configurations, and what was searched and assumed.

    Args:
        s: the solution.
        suggestion: a rule of thumb to show beside it.
    """
    blocks: list[Block] = [*_closed(s), *_configurations(s), *ranking(s), *_checked(s),
                           *_in_the_way(s)]
    if suggestion is not None:
        blocks += heuristic([(s, suggestion)])
    return resting_on(Document(_title(s), (*blocks, *searched(s)), solution_named(s)),
                      {s.model: s.trace})


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
    wanted = [_goal_in_words(goal) for goal in s.goals]
    return f"{s.model}: {', '.join(wanted)}"


def _goal_in_words(goal: Goal) -> str:
    """What is wanted of a quantity, in words."""
    limit = "at most " if goal.relation == "<=" else ""
    if goal.name == "P":
        return f"{limit}{several(goal.value, 'parameter')} wanted ({short(goal.value)})"
    if goal.unit == "bytes":
        amount = f"{grouped(goal.value)} bytes ({gigabytes(goal.value)})"
    else:
        amount = f"{grouped(goal.value)} ({short(goal.value)})"
    return f"{goal.name} {limit}{amount}"


def _closed(s: Solution) -> Iterator[Block]:
    if s.closed_forms:
        proved = " (proved by putting it back)" if any(f.formulas for f in s.closed_forms) else ""
        yield Heading(spans(f"In closed form{proved}"))
    taken = {s.goals[0].name, *(name for name in ("s", "b") if s.goals[0].name != "P")}
    for form in s.closed_forms:
        for formula in form.formulas:
            yield Display(tuple(equalities(form.symbol, formula, taken)))
        yield Paragraph(spans(Math(ex.Sym(form.symbol)), f": {form.why}."))
    if found := tuple(_put_in(s)):
        yield Paragraph(spans("Put in:"))
        yield Items(found)
    by_name = {form.symbol: form for form in s.closed_forms}
    for name, roots in s.roots.items():
        yield Paragraph(tuple(_roots(s, by_name[name], roots)))


def _put_in(s: Solution) -> Iterator[tuple[Span, ...]]:
    """The relations that the formulas are under, each with where it is from."""
    forms = [form for form in s.closed_forms if form.formulas]
    for each in dict.fromkeys(each for form in forms for each in form.put_in):
        names = [form.symbol for form in forms if each in form.put_in]
        alone = "" if len(names) == len(forms) else f"; for {' and '.join(names)} alone"
        yield spans(Math(ex.Sym(each.dim), "=", each.expr), f" ({each.origin_in_words}{alone})")


def _roots(s: Solution, form: ClosedForm, roots: Sequence[Root]) -> Iterator[Span]:
    """The real roots on numbers: those of use, with bounds where no formula gives them, and
    those that are not, with the reason."""
    name = form.symbol
    kept = [root for root in roots if not root.rejected]
    yield f"Real root{'s' if len(kept) > 1 else ''}: " if kept else "No root is of use."
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


def _configurations(s: Solution) -> Iterator[Block]:
    within = per_cent(s.tolerance)
    if not s.configurations:
        yield Heading(spans("No configuration"))
        return
    shown = len(s.configurations)
    if s.everywhere:
        yield Heading(spans("Every s is within the limit"))
    elif s.met and s.goals[0].relation == "<=" and shown == 1:
        ends = s.configurations[0].dims.get(s.unknowns[0]) == MAX_DIM
        yield Heading(spans(f"The largest {s.unknowns[0]} within the limit" + (
            ", of those that were searched" if ends else "")))
    elif s.met:
        of = f" of {grouped(s.within)}" if s.within > shown else ""
        bound = "the limit" if s.goals[0].relation == "<=" else within
        yield Heading(spans(f"Configurations within {bound}, the best {shown}{of}"))
    elif s.front:
        of = f", {shown} of {grouped(s.front)}" if s.front > shown else ""
        yield Heading(spans(f"No configuration meets everything within {within}; those of which "
                            f"none is nearer in all (the Pareto front{of})"))
    elif s.goals[0].relation == "<=":
        yield Heading(spans(f"No {s.unknowns[0]} is within the limit; the nearest misses"))
    else:
        yield Heading(spans(f"No configuration within {within}; the nearest misses"))
    run = [name for name in s.configurations[0].dims if is_run(name) and name not in s.fixed]
    if run:
        yield quantities(s, run)
        if s.remarks:
            yield Items(tuple(spans(words) for words in s.remarks))
        return
    total = s.goals[0].name == "P"
    yield from configuration_tables(s.configurations, _varying(s), error=total)
    yield from nearness(s.configurations)
    if len(s.goals) > 1 or not total:
        yield quantities(s)


def _varying(s: Solution) -> list[str]:
    """The dims that are not the same by request."""
    first = s.configurations[0].dims
    return [name for name in first if name not in s.fixed or len(
        {c.dims[name] for c in s.configurations}) > 1]


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
    said = some((f"{check.name}: {check.detail}" for check in failed), MOST_CHECKS, "; ")
    yield Paragraph(spans(f"{which}: {passed} of {len(checks)} hold. Not: {said}."))


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
