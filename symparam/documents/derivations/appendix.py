"""A derivation as a paper's appendix prints it: one table of the model, the formula, what is put
into it, the leading term with its remainder, and the totals. That all is proved is said once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from symparam import expression as ex
from symparam.constraints import Equation
from symparam.derivation.approximate import approximate
from symparam.derivation.parts import copies_of
from symparam.derivation.plan import Derivation
from symparam.derivation.state import replaced
from symparam.derivation.step import POINTS, Step
from symparam.documents.derivations.about import in_units, of_model, of_quantity
from symparam.documents.derivations.tables import relation, sources_of_parts, symbols_table
from symparam.errors import the
from symparam.notation.numbers import grouped, percent, short
from symparam.writers.document import (
    Beside,
    Block,
    Cell,
    Column,
    Display,
    Equality,
    Items,
    Math,
    Paragraph,
    Span,
    Strong,
    Table,
    plain_terms,
    spans,
)

#: More equations than this stand below each other.
MOST_IN_A_LINE = 2


def appendix_blocks(d: Derivation) -> Iterator[Block]:
    """The blocks of an appendix, without headings: a paper has its own."""
    yield Paragraph(_opening(d))
    yield replace(symbols_table(d), about=spans(f"The symbols of {d.model.name} and their numbers"))
    if not d.of_parameters:
        yield of_quantity(d)
    yield from _formula(d)
    yield from _leading(d)
    if d.of_parameters:
        yield _totals(d)
    if len(d.conventions) > 1:
        yield _others(d)
    if d.of_parameters:
        yield from of_model(d)
        if not d.model.source:
            yield from _components(d)


def _components(d: Derivation) -> Iterator[Block]:
    """Of a model that nobody published, where its components are from."""
    found: list[Span] = []
    for title, source in sources_of_parts(d).items():
        found += ["; " if found else "Components: ", f"{title} ", Beside(source)]
    if found:
        yield Paragraph((*found, "."))


def _opening(d: Derivation) -> tuple[Span, ...]:
    """What it is, how much, and in what sense the lines hold."""
    told: tuple[Span, ...] = (f"{d.quantity.title[0].upper()}{d.quantity.title[1:]} of ",
                              Strong(d.model.name))
    if d.numbers is not None:
        number = in_units(d.numbers.result, d.quantity.unit)
        if d.of_parameters:
            number = f"{grouped(d.numbers.result)} parameters ({short(int(d.numbers.result))})"
        told = (Strong(d.model.name), f": {number}") if d.of_parameters else (*told, f": {number}")
    words = [". All lines are proved, unless one says otherwise"]
    if d.tensors:
        held = sum(tensor.copies for tensor in d.tensors)
        words.append(f"; the {grouped(held)} tensors sum to the same")
    return (*told, "".join(words) + ".")


def _given(d: Derivation) -> list[Step]:
    """The steps that put equations in which the model's numbers meet."""
    return [step for step in d.steps if step.given is not None and step.holds_here != "nearly"]


def _formula(d: Derivation) -> Iterator[Block]:
    """The formula, and the equations that were put into it."""
    given = list(map(_constraint, _given(d)))
    if len(given) > MOST_IN_A_LINE:
        yield Paragraph(spans("With"))
        yield Items(tuple(given))
        yield Paragraph(spans("the formula is"))
    elif given:
        lines = [span for i, line in enumerate(given) for span in ("; " if i else "With ", *line)]
        yield Paragraph((*lines, ", the formula is"))
    else:
        yield Paragraph(spans("The formula is"))
    yield Display((_equality(d.symbol, d.exact.expr),))


def _equality(subject: str, expr: ex.Expr, sign: str = "=") -> Equality:
    return Equality(ex.Sym(subject), ((sign, plain_terms(expr)),))


def _constraint(step: Step) -> tuple[Span, ...]:
    """An equation with its reason, and how far it holds where that is not proved."""
    why = [] if step.why in {"assumed", "as given"} else [step.why]
    if step.status == "checked":
        why.append(f"checked at {POINTS} points, as rounding has no algebra")
    if step.holds_here == "nearly":
        why.append("which this model meets only nearly")
    return spans(relation(the(Equation, step.given)), f" ({', '.join(why)})" if why else "")


def _leading(d: Derivation) -> Iterator[Block]:
    """The leading term, what is put in for it beside what is there, and the exact remainder."""
    found = approximate(d)
    if found is None or not found.dropped:
        return
    known = {str(step.given) for step in _given(d)}
    new = [step for step in found.steps if step.given is not None
           and str(step.given) not in known]
    words: list[Span] = ["To the highest power of ", *_in_a_row(
        [Math(ex.Sym(name)) for name in found.widths]), " together" * (len(found.widths) > 1)]
    if new:
        words.append(", with ")
        for i, step in enumerate(new):
            words += [", " if i else "", *_constraint(step)]
    yield Paragraph((*words, ":"))
    yield Display((_equality(d.symbol, found.formula, "≈"),))
    if d.numbers is not None:
        rest = sum(Fraction(each.numel or 0) for each in found.dropped)
        yield Paragraph(spans(
            f"The remainder is {grouped(rest)}, {percent(rest, d.numbers.result, 2)} of ",
            Math(ex.Sym(d.symbol)), ":"))
    else:
        yield Paragraph(spans("The remainder is exact:"))
    yield Display((Equality(ex.Sym("R"), (("=", tuple(
        term for each in found.dropped for term in plain_terms(each.term))),)),))


def _in_a_row(each: Sequence[Span]) -> Iterator[Span]:
    """One, another and a third."""
    for i, span in enumerate(each):
        if i:
            yield " and " if i == len(each) - 1 else ", "
        yield span


def _totals(d: Derivation) -> Table:
    """Each component: how many there are, and what all of them have; the last row sums them."""
    values, rows = d.values, list[tuple[Cell, ...]]()
    join = {step.subject: step.after.expr for step in d.steps if step.rule == "join"}
    given = replaced(step for step in _given(d) if step.status == "proved")
    for part in d.parts:
        own, copies = join[part.symbol], copies_of(part.extents, given)
        number = Math(own) if d.numbers is None else grouped(
            ex.evaluate(own, values) * ex.evaluate(part.copies, values))
        rows.append((part.title, Math(copies), number))
    columns = (Column("component"), Column("copies", "right"))
    if d.numbers is None:
        return Table((*columns, Column("parameters of one")), tuple(rows))
    rows.append(("total", "", grouped(d.numbers.result)))
    return Table((*columns, Column("parameters", "right")), tuple(rows), total=True,
                 about=spans(f"The parameters of {d.model.name} by component"))


def _others(d: Derivation) -> Table:
    """What else is called the number of parameters; what is the same number stands together."""
    if d.numbers is None:
        rows: list[tuple[Cell, ...]] = [(each.title, Math(each.term.shown))
                                        for each in d.conventions[1:]]
        return Table((Column("counted otherwise"), Column("formula")), tuple(rows))
    titles: dict[ex.Rational, list[str]] = {}
    for each in d.conventions[1:]:
        titles.setdefault(each.value or 0, []).append(each.title)
    rows = [(", or ".join(words), grouped(value)) for value, words in titles.items()]
    return Table((Column("counted otherwise"), Column("parameters", "right")), tuple(rows),
                 about=spans(f"The parameters of {d.model.name}, counted otherwise"))
