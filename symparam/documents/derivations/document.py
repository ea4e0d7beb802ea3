"""A derivation as a document: its brief form, or the full one with the steps inside steps.

One document for every quantity. The number of parameters is told as a model is: its matrices, its
components' sources, what else is called so; any other quantity begins with what is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from symparam import expression as ex
from symparam.arithmetic import decimal
from symparam.constraints import Equation
from symparam.dataclass import dataclass
from symparam.derivation.plan import Derivation
from symparam.derivation.step import POINTS, Line, Step
from symparam.documents.common.foundation import resting
from symparam.documents.derivations.about import in_units, of_model, of_quantity
from symparam.documents.derivations.appendix import appendix_blocks
from symparam.documents.derivations.by_part import (
    apart,
    numbers_display,
    of_path,
    step_display,
)
from symparam.documents.derivations.named import derivation_named
from symparam.documents.derivations.tables import (
    conventions_table,
    dropped_table,
    entries_table,
    matrices_tables,
    numbers_table,
    relation,
    sources,
    symbols_tables,
)
from symparam.errors import the
from symparam.notation.numbers import grouped
from symparam.notation.numbers import short as short_number
from symparam.parts import in_words
from symparam.traced.parts import TEXT
from symparam.writers.document import (
    Block,
    Braced,
    Display,
    Document,
    Equality,
    Heading,
    Math,
    Paragraph,
    Span,
    plain_terms,
    spans,
)
from symparam.writers.sub_sums import displays

if TYPE_CHECKING:
    from symparam.notation.notation import Notation
    from symparam.sensitivity import Sensitivity


@dataclass(frozen=True)
class Section:
    """One section of a derivation.

    Attributes:
        kind: what it does: ``matrices``, ``join``, or the rule of its step.
        title: its title, without a number.
        blocks: what stands in it.
        step: the step that it shows, where it is one.
    """

    kind: str
    title: tuple[Span, ...]
    blocks: tuple[Block, ...]
    step: Step | None = None


def derivation_document(d: Derivation,
                        sensitivity: Sensitivity | None = None,
                        notation: Notation | None = None) -> Document:
    """The derivation: apart, matrices, parts, whole, assumptions, numbers, other conventions.

    Args:
        d: the derivation.
        sensitivity: what it depends on, as a last section, where it is wanted.
        notation: the one that it will be written in, if that is known: how long a formula of
            that section may be.
    """
    short = d.detail == "appendix"
    found = [] if short else [*sections(d, notation)]
    if sensitivity is not None:
        from symparam.documents.sensitivities.document import sensitivity_blocks

        found.append(Section("sensitivity", spans(
            "What the number depends on" if d.of_parameters else "What it depends on"),
            tuple(sensitivity_blocks(sensitivity, 3, notation))))
    blocks = [*(appendix_blocks(d) if short else ()), *numbered(found)]
    return resting(Document(f"{_what(d)}: {d.quantity.title}, derived", tuple(blocks),
                            derivation_named(d)), d.model)


def _what(d: Derivation) -> str:
    """What it is of: a model, or a part of one."""
    part = d.model.part
    alone = part == TEXT or part in d.model.parts
    return f"{d.model.name}, {in_words(part)}" if alone else d.model.name


def numbered(found: Iterable[Section]) -> Iterator[Block]:
    """Sections under headings with numbers."""
    for number, section in enumerate(found, 1):
        yield Heading((f"{number}. ", *section.title))
        yield from section.blocks


def sections(d: Derivation, notation: Notation | None = None) -> Iterator[Section]:
    """The sections of a derivation, in order."""
    if not d.of_parameters:
        yield Section("counted", spans("What is counted"), (of_quantity(d),))
    for step in (step for step in d.steps if step.rule == "take-apart"):
        known = of_model(d) if d.of_parameters else []
        yield Section("take-apart", spans(_TITLES["take-apart"]),
                      (*known, _shown(d, step)), step)
    yield Section("symbols", spans("The symbols"), (*symbols_tables(d),))
    if d.quantity.at_work:
        yield Section("matrices", spans("What it is the sum of"), (entries_table(d),))
    else:
        yield Section("matrices", spans("The matrices of each part"),
                      (*matrices_tables(d), *sources(d)))
    joins = [step for step in d.steps if step.rule == "join"]
    yield Section("join", spans("Multiply out and join equal terms (proved)"),
                  _joins(joins, d) if d.of_parameters else (
                      *displays([_joined(step, d) for step in joins], notation),))
    for step in (step for step in d.steps if step.rule not in {"take-apart", "join"}):
        yield Section(step.rule, *_step(step, d), step)
    if d.dropped:
        yield Section("dropped", spans("What the leading term leaves out"), (dropped_table(d),))
    yield from _ending(d)


def _braced(line: Line, labels: bool) -> tuple[Braced, ...]:
    if not labels:
        return tuple(b for t in line.terms for b in plain_terms(t.shown))
    return tuple(Braced(t.shown, t.label) for t in line.terms)


def _equality(subject: str, line: Line, labels: bool = False, relation: str = "=") -> Equality:
    return Equality(ex.Sym(subject), ((relation, _braced(line, labels)),))


def _joins(joins: Iterable[Step], d: Derivation) -> tuple[Block, ...]:
    """What each symbol comes to; of a model that is made of several under its parts' names."""
    of = {part.symbol: of_path(part.paths[0], d) for part in d.parts} if d.model.parts else {}
    return tuple(apart(d, joins, lambda step: of.get(step.subject, ""), lambda own: Display(
        tuple(_joined(step, d) for step in own))))


def _joined(step: Step, d: Derivation) -> Equality:
    """A part: in the full form its matrices one by one, then equal terms together."""
    return chain((step,)) if d.detail == "full" else _equality(step.subject, step.after, True)


def chain(steps: Sequence[Step]) -> Equality:
    """Steps of one subject that follow from each other, as one equation of several sides."""
    sides = [_braced(steps[0].before, labels=True)]
    for step in steps:
        if step.after.expr != step.before.expr:
            sides.append(_braced(step.after, labels=True))
    return Equality(ex.Sym(steps[0].subject), tuple(("=", side) for side in sides))


def _inside(step: Step) -> list[Block]:
    """What the full form shows of a step before its result."""
    own = [inner for inner in step.substeps if inner.subject != step.subject]
    if own:
        return [Display(tuple(chain((inner,)) for inner in own))]
    if not step.substeps:
        return []
    first = step.substeps[0]
    return [Paragraph(spans(f"{first.why[0].upper()}{first.why[1:]}:")),
            display(step.subject, first.after),
            Paragraph(spans(f"{step.substeps[-1].why[0].upper()}{step.substeps[-1].why[1:]}:"))]


def display(subject: str, line: Line, labels: bool = False, relation: str = "=") -> Display:
    """A line as a displayed equation, with the names of what its terms come from if asked for."""
    return Display((_equality(subject, line, labels, relation),))


_TITLES = {"take-apart": "Take the model apart", "sum": "Put the parts together",
           "front": "Put in front what all terms share", "collect": "Collect powers of the width",
           "leading": "Keep the leading term"}


_STATUS = {"proved": "proved", "checked": f"checked at {POINTS} points: rounding has no algebra"}


def _step(step: Step, d: Derivation) -> tuple[tuple[Span, ...], tuple[Block, ...]]:
    labels = step.rule in {"collect", "leading"}
    shown = _shown(d, step, labels)
    if step.given is None:
        exact = "proved" if step.relation == "=" else "the remainder is exact"
        return spans(f"{_TITLES[step.rule]} ({exact})"), (*_inside(step), shown)
    title: list[Span] = ["Given ", relation(step.given)]
    if step.why not in {"assumed", "as given"}:
        title.append(f", {step.why}")
    note = f" ({_STATUS[step.status]})"
    if step.holds_here == "nearly":
        note = " (proved, under an assumption that this model meets only nearly: "
        title += [note, Math(ex.Sym(step.given.dim)), f" is {_nearly(step, d)})"]
        return tuple(title), (*_inside(step), shown)
    return (*title, note), (*_inside(step), shown)


def _shown(d: Derivation, step: Step, labels: bool = False) -> Display:
    """A step's new line; of a model that is made of several, part by part."""
    return step_display(d, step) or display(step.subject, step.after, labels, step.relation)


def _nearly(step: Step, d: Derivation) -> str:
    given, values = the(Equation, step.given), d.resolution.values
    meant = Fraction(ex.evaluate(given.expr, values))
    return f"{values[given.dim]}, not {decimal(meant, 2)}"


def _ending(d: Derivation) -> Iterator[Section]:
    if d.numbers is not None:
        n = d.numbers
        told = in_units(n.result, d.quantity.unit)
        if d.of_parameters:
            told = f"{grouped(n.result)}, or {short_number(int(n.result))}"
        title = f"Put the numbers in: {told}"
        parts = [numbers_table(d)] if d.detail == "full" else []
        shown = numbers_display(d) or Display((Equality(ex.Sym(d.symbol), (
            ("=", plain_terms(n.symbolic)), ("=", plain_terms(n.substituted)),
            ("=", (Braced(ex.Num(n.result)),)))),))
        yield Section("numbers", spans(title), (*parts, shown))
    if len(d.conventions) > 1:
        yield Section("conventions", spans(
            "What else is called the number of parameters (proved)"), (conventions_table(d),))
    if d.numbers is not None:
        yield Section("check", spans("Check"), (Paragraph(spans(_check(d, d.numbers.result))),))


def _check(d: Derivation, result: ex.Rational) -> str:
    """By which other way the number was worked out."""
    if d.of_parameters:
        count, total = (sum(getattr(t, of) for t in d.tensors) for of in ("copies", "numel"))
        return (f"The {grouped(count)} tensors of the module, multiplied out one by one, sum to "
                f"{grouped(total)}.")
    entries = sum(len(p.all_paths) for p in d.parts)
    told = "The entry, worked" if entries == 1 else f"The {entries} entries, each worked"
    verb = "gives" if entries == 1 else "sum to"
    return f"{told} out in whole numbers without the formula, {verb} {grouped(result)}."
