"""A derivation as a document: its brief form, or the full one with the steps inside steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symparam import components
from symparam import expression as ex
from symparam.arithmetic import decimal
from symparam.component import Component
from symparam.constraints import Equation, Standing
from symparam.derivation.plan import Derivation
from symparam.derivation.step import POINTS, Line, Step, short
from symparam.dims import describe
from symparam.export.derivation_named import derivation_named
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
    Label,
    Math,
    Paragraph,
    Span,
    Table,
    plain_terms,
    spans,
)
from symparam.export.numbers import grouped, percent
from symparam.export.numbers import short as short_number
from symparam.ledger import Matrix
from symparam.symbols import from_sympy, right_side

if TYPE_CHECKING:
    from symparam.export.notation import Notation
    from symparam.sensitivity import Sensitivity

_P = ex.Sym("P")


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


def derivation_document(d: Derivation, sensitivity: Sensitivity | None = None,
                        notation: Notation | None = None) -> Document:
    """The derivation: apart, matrices, parts, whole, assumptions, numbers, other conventions.

    Args:
        d: the derivation.
        sensitivity: what the count depends on, as a last section, where it is wanted.
        notation: the one that it will be written in, if that is known: how long a formula of
            that section may be.
    """
    found = [*sections(d)]
    if sensitivity is not None:
        from symparam.export.sensitivity_document import sensitivity_blocks

        found.append(Section("sensitivity", spans("What the number depends on"),
                             tuple(sensitivity_blocks(sensitivity, 3, notation))))
    blocks = [*numbered(found)]
    return Document(f"{d.model.name}: the number of parameters, derived", tuple(blocks),
                    derivation_named(d))


def numbered(found: Iterable[Section]) -> Iterator[Block]:
    """Sections under headings with numbers."""
    for number, section in enumerate(found, 1):
        yield Heading((f"{number}. ", *section.title))
        yield from section.blocks


def sections(d: Derivation) -> Iterator[Section]:
    """The sections of a derivation, in order."""
    apart, rest = d.steps[0], d.steps[1:]
    yield Section("take-apart", spans("Take the model apart"),
                  (*about(d), display(apart.subject, apart.after)), apart)
    yield Section("symbols", spans("The symbols"), (_notation(d),))
    yield Section("matrices", spans("The matrices of each part"), (_matrices(d), _sources(d)))
    joins = [step for step in rest if step.rule == "join"]
    yield Section("join", spans("Multiply out and join equal terms (proved)"),
                  (Display(tuple(_joined(step, d) for step in joins)),))
    for step in (step for step in rest if step.rule != "join"):
        yield Section(step.rule, *_step(step, d), step)
    if d.dropped:
        yield Section("dropped", spans("What the leading term leaves out"), (_dropped(d),))
    yield from _ending(d)


def about(d: Derivation) -> list[Block]:
    """What is to be known of the model beforehand: what is counted, ties, its source."""
    words = [f"{d.model.part}" if d.model.part != "all" else ""]
    tied = [m for m in d.ledger if m.tied_to is not None]
    if tied:
        words.append("The head shares the weights of the token embedding and adds none (tied).")
    words += [f"Left out: {phrase}." for phrase in d.model.left_out]
    if d.model.source:
        words.append(f"Source: {d.model.source}")
    text = " ".join(w if w.endswith(".") else f"{w}." for w in words if w)
    return [Paragraph(spans(text[0].upper() + text[1:]))] if text else []


def _notation(d: Derivation) -> Table:
    values = d.resolution.values
    rows = []
    for name in d.symbols():
        row: list[Any] = [Math(ex.Sym(name)), describe(name).meaning]
        if values:
            row.append(grouped(values[name]) if name in values else "")
        rows.append(tuple(row))
    columns = [Column("symbol"), Column("meaning"), *([Column("here", "right")] if values else ())]
    return Table(tuple(columns), tuple(rows), role="notation")


def _shape(matrix: Matrix) -> Math | tuple[Span, ...]:
    parts: list[Span] = []
    for i, extent in enumerate(matrix.shape):
        side = ex.node(extent)
        is_sum = isinstance(side, ex.Sum) and len(matrix.shape) > 1
        parts += [("" if i == 0 else " × ") + "(" * is_sum, Math(side), ")" * is_sum]
    return tuple(parts)


def _matrices(d: Derivation) -> Table:
    rows = []
    for part in d.parts:
        for i, path in enumerate(part.paths):
            m = d.ledger[path]
            inner = m.indices[1 if part.repeated else 0:]
            copies: Any = Math(ex.product_of(part.copies, *(ex.node(i.stored) for i in inner)))
            rows.append((part.title if i == 0 else "", Label((short(m.name),)), _shape(m), copies))
    columns = (Column("part"), Column("matrix"), Column("shape"), Column("copies", "right"))
    return Table(columns, tuple(rows))


def _sources(d: Derivation) -> Items:
    listed = {path.rpartition(".")[0] for part in d.parts for path in part.paths}
    found: dict[Component, None] = {}
    for stack, slot in d.model.slots():
        if f"{stack.name}.{slot.path}" in listed:
            found[slot.component] = None
    by_title: dict[str, str] = {}
    for component in found:
        named = as_used(component, d)
        by_title[named.title] = named.source
    return Items(tuple(spans(f"{title}: {source}") for title, source in by_title.items()))


def as_used(component: Component, d: Derivation) -> type[Component]:
    """The kind that a component is with the numbers here: grouped queries with n_kv = n_heads
    are multi-head attention, and cited as such."""
    used = {(a.equation.dim, a.equation.expr) for a in d.assumptions
            if a.equation.standing is Standing.CANDIDATE}
    for cls in components.everything():
        if cls.slot == component.slot and any(
                eq.standing is Standing.DEFINITION and (eq.dim, eq.expr) in used
                for eq in cls.equations):
            return cls
    return type(component)


def _braced(line: Line, labels: bool) -> tuple[Braced, ...]:
    if not labels:
        return tuple(b for t in line.terms for b in plain_terms(t.shown))
    return tuple(Braced(t.shown, t.label) for t in line.terms)


def _equality(subject: str, line: Line, labels: bool = False, relation: str = "=") -> Equality:
    return Equality(ex.Sym(subject), ((relation, _braced(line, labels)),))


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


_TITLES = {"sum": "Put the parts together", "collect": "Collect powers of the width",
           "leading": "Keep the leading term"}


_STATUS = {"proved": "proved", "checked": f"checked at {POINTS} points: rounding has no algebra"}


def _step(step: Step, d: Derivation) -> tuple[tuple[Span, ...], tuple[Block, ...]]:
    labels = step.rule in {"collect", "leading"}
    shown = display(step.subject, step.after, labels, step.relation)
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


def relation(given: Equation) -> Math:
    """An equation as people state it; one that rounds with its dim alone on the left."""
    left, right = given.sides()
    if given.rounding:
        left, right = ex.Sym(given.dim), from_sympy(right_side(given))
    return Math(left, "=", right)


def _nearly(step: Step, d: Derivation) -> str:
    assert step.given is not None
    values = d.resolution.values
    meant = Fraction(ex.evaluate(step.given.expr, values))
    return f"{values[step.given.dim]}, not {decimal(meant, 2)}"


def _dropped(d: Derivation) -> Table:
    columns = [Column("left out"), Column("where it comes from")]
    if d.numbers is None:
        return Table(tuple(columns), tuple((Math(x.term), x.origin) for x in d.dropped))
    columns += [Column("parameters", "right"), Column("of P", "right")]
    total = d.numbers.result
    rows: list[tuple[Cell, ...]] = [
        (Math(x.term), x.origin, grouped(x.numel or 0), percent(x.numel or 0, total, 3))
        for x in d.dropped]
    left = sum(Fraction(x.numel or 0) for x in d.dropped)
    rows.append(("sum", f"{grouped(total)} − {grouped(total - left)}", grouped(left),
                 percent(left, total, 3)))
    return Table(tuple(columns), tuple(rows), total=True)


def _ending(d: Derivation) -> Iterator[Section]:
    if d.numbers is not None:
        n = d.numbers
        title = f"Put the numbers in: {grouped(n.result)}, or {short_number(n.result)}"
        parts = [_parts_in_numbers(d)] if d.detail == "full" else []
        yield Section("numbers", spans(title), (*parts, Display((Equality(_P, (
            ("=", plain_terms(n.symbolic)), ("=", plain_terms(n.substituted)),
            ("=", (Braced(ex.Num(n.result)),)))),))))
    if len(d.conventions) > 1:
        yield Section("conventions", spans(
            "What else is called the number of parameters (proved)"), (_conventions(d),))
    if d.numbers is not None:
        count = sum(t.copies for t in d.tensors)
        total = sum(t.numel for t in d.tensors)
        yield Section("check", spans("Check"), (Paragraph(spans(
            f"The {grouped(count)} tensors of the module, multiplied out one by one, sum to "
            f"{grouped(total)}.")),))


def _parts_in_numbers(d: Derivation) -> Table:
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
               Column("parameters", "right"))
    return Table(columns, tuple(rows), total=True)


def _conventions(d: Derivation) -> Table:
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
