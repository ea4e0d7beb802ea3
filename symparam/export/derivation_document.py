"""A derivation as a document, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from symparam import components
from symparam import expression as ex
from symparam.arithmetic import decimal
from symparam.component import Component
from symparam.constraints import Standing
from symparam.derivation.leading import Dropped
from symparam.derivation.plan import Derivation
from symparam.derivation.step import Line, Step, short
from symparam.dims import describe
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
from symparam.export.latex import LatexFormat
from symparam.export.notation import PRESETS, Notation
from symparam.export.numbers import grouped, percent
from symparam.export.numbers import short as short_number
from symparam.ledger import Matrix

_P = ex.Sym("P")


def derivation_document(d: Derivation) -> Document:
    """The derivation in its brief form: apart, matrices, parts, whole, assumptions, numbers."""
    blocks = [*_numbered(_sections(d))]
    return Document(f"{d.model.name}: the number of parameters, derived", tuple(blocks))


def _numbered(sections: Iterator[tuple[tuple[Span, ...], list[Block]]]) -> Iterator[Block]:
    for number, (title, blocks) in enumerate(sections, 1):
        yield Heading((f"{number}. ", *title))
        yield from blocks


_Section = tuple[tuple[Span, ...], list[Block]]


def _sections(d: Derivation) -> Iterator[_Section]:
    apart, rest = d.steps[0], d.steps[1:]
    yield spans("Take the model apart"), [*_about(d), _display(apart.subject, apart.after)]
    yield spans("The symbols"), [_notation(d)]
    yield spans("The matrices of each part"), [_matrices(d), _sources(d)]
    joins = [step for step in rest if step.rule == "join"]
    yield (spans("Multiply out and join equal terms (proved)"),
           [Display(tuple(_equality(s.subject, s.after, labels=True) for s in joins))])
    for step in (step for step in rest if step.rule != "join"):
        yield _step(step, d)
    if d.dropped:
        yield spans("What the leading term leaves out"), [_dropped(d)]
    yield from _ending(d)


def _about(d: Derivation) -> list[Block]:
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
        named = _as_used(component, d)
        by_title[named.title] = named.source
    return Items(tuple(spans(f"{title}: {source}") for title, source in by_title.items()))


def _as_used(component: Component, d: Derivation) -> type[Component]:
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


def _display(subject: str, line: Line, labels: bool = False, relation: str = "=") -> Display:
    return Display((_equality(subject, line, labels, relation),))


_TITLES = {"sum": "Put the parts together", "collect": "Collect powers of the width",
           "leading": "Keep the leading term"}


def _step(step: Step, d: Derivation) -> _Section:
    labels = step.rule in {"collect", "leading"}
    display = _display(step.subject, step.after, labels, step.relation)
    if step.given is None:
        exact = "proved" if step.relation == "=" else "the remainder is exact"
        return spans(f"{_TITLES[step.rule]} ({exact})"), [display]
    left, right = step.given.sides()
    title: list[Span] = ["Given ", Math(left, "=", right)]
    if step.why not in {"assumed", "as given"}:
        title.append(f", {step.why}")
    note = " (proved)"
    if step.holds_here == "nearly":
        note = " (proved, under an assumption that this model meets only nearly: "
        title += [note, Math(ex.Sym(step.given.dim)), f" is {_nearly(step, d)})"]
        return tuple(title), [display]
    return (*title, note), [display]


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


def _ending(d: Derivation) -> Iterator[_Section]:
    if d.numbers is None:
        return
    n = d.numbers
    result = ex.Num(n.result)
    yield spans(f"Put the numbers in: {grouped(n.result)}, or {short_number(n.result)}"), [
        Display((Equality(_P, (("=", plain_terms(n.symbolic)), ("=", plain_terms(n.substituted)),
                               ("=", (Braced(result),)))),))]
    count = sum(t.copies for t in d.tensors)
    total = sum(t.numel for t in d.tensors)
    yield spans("Check"), [Paragraph(spans(
        f"The {grouped(count)} tensors of a checkpoint, multiplied out one by one, sum to "
        f"{grouped(total)}"))]


def derivation_json(d: Derivation, notation: Notation = PRESETS["paper"]) -> dict[str, Any]:
    """The derivation as data; expressions are text that the closed grammar reads back."""
    out = LatexFormat(notation)
    return {
        "model": d.model.name, "quantity": "total", "formula": str(d.formula),
        "latex": out.math(d.formula),
        "steps": [_step_json(step) for step in d.steps],
        "dropped": [_dropped_json(x) for x in d.dropped],
        "symbols": {name: describe(name).meaning for name in d.symbols()},
        "dims": dict(d.resolution.values), "missing": list(d.resolution.missing),
        "value": d.value,
    }


def _step_json(step: Step) -> dict[str, Any]:
    used = [str(step.given)] if step.given else []
    return {"rule": step.rule, "subject": step.subject, "relation": step.relation,
            "before": str(step.before.expr), "after": str(step.after.expr), "why": step.why,
            "status": step.status, "holds_here": step.holds_here, "constraints": used}


def _dropped_json(x: Dropped) -> dict[str, Any]:
    numel: Any = x.numel
    if isinstance(numel, Fraction):
        numel = str(numel)
    return {"term": str(x.term), "origin": x.origin, "numel": numel,
            "share": None if x.share is None else float(x.share)}
