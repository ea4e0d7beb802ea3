"""The derivation of a quantity as a document and as data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from symparam import expression as ex
from symparam.arithmetic import decimal
from symparam.derivation.portions import written
from symparam.derivation.quantity import QuantityDerivation
from symparam.derivation.step import Step, matrix_names
from symparam.dims import describe
from symparam.export.cost_data import number
from symparam.export.derivation_document import chain, display, relation
from symparam.export.derivation_json import step_json
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
    Named,
    Paragraph,
    Span,
    Table,
    plain_terms,
    spans,
)
from symparam.export.latex import LatexFormat
from symparam.export.lettered import displays
from symparam.export.named import formula_named
from symparam.export.notation import PRESETS, Notation
from symparam.export.notation_file import notation_of
from symparam.export.numbers import flop_unit, gibibytes, gigabytes, grouped, short
from symparam.export.view import View
from symparam.quantities.setting import Setting
from symparam.sensitivity.quantity import QuantitySensitivity

_TITLES = {"take-apart": "Take it apart by component", "sum": "Put the components together",
           "collect": "Collect what the terms share"}


class QuantityView(View):
    """A derivation of a quantity that can be written in every format."""

    def __init__(self, derivation: QuantityDerivation, notation: str | Path | Notation = "paper",
                 sensitivity: QuantitySensitivity | None = None) -> None:
        self.derivation, self.notation = derivation, notation_of(notation)
        self.sensitivity = sensitivity

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps, each proved."""
        return self.derivation.steps

    @property
    def formula(self) -> Any:
        """The last line's right side, a SymPy expression."""
        return self.derivation.steps[-1].after.plain

    @property
    def value(self) -> ex.Rational | None:
        """The exact value, where all dims have numbers."""
        return self.derivation.value

    def document(self) -> Document:
        """The derivation as a document."""
        return quantity_document(self.derivation, self.sensitivity, self.notation)

    def json(self) -> dict[str, Any]:
        """The derivation as data."""
        return quantity_json(self.derivation, self.notation, self.sensitivity)

    def __repr__(self) -> str:
        d = self.derivation
        return f"<derivation of {d.quantity.name} of {d.model.name}: {d.formula}>"


def quantity_document(d: QuantityDerivation, sensitivity: QuantitySensitivity | None = None,
                      notation: Notation | None = None) -> Document:
    """The derivation: what is counted, its entries, the steps, the numbers, a check.

    Args:
        d: the derivation.
        sensitivity: what it depends on, as a last section, where it is wanted.
        notation: the one that it will be written in, if that is known.
    """
    found = list(_sections(d, notation))
    if sensitivity is not None:
        from symparam.export.depends_document import depends_blocks

        found.append((spans("What it depends on"), [*depends_blocks(sensitivity, notation, 3)]))
    blocks: list[Block] = []
    for i, (title, inside) in enumerate(found, 1):
        blocks += [Heading((f"{i}. ", *title)), *inside]
    return Document(f"{d.model.name}: {d.quantity.title}, derived", tuple(blocks), _named(d))


def _sections(d: QuantityDerivation, notation: Notation | None) -> Iterator[
        tuple[tuple[Span, ...], list[Block]]]:
    yield spans("What is counted"), [about(d)]
    yield spans("The symbols"), [_notation(d)]
    yield spans("What it is the sum of"), [_entries(d)]
    joins = [step for step in d.steps if step.rule == "join"]
    for step in d.steps:
        if step.rule == "join":
            if step is joins[0]:
                yield spans("Multiply and join equal terms (proved)"), [
                    *displays((_joined(each, d) for each in joins), notation)]
            continue
        title = _given(step, d) if step.given else (
            _TITLES[step.rule], "" if step.rule == "take-apart" else " (proved)")
        yield spans(*title), [display(step.subject, step.after, step.rule == "sum")]
    if d.numbers is not None:
        yield from _ending(d)


def about(d: QuantityDerivation) -> Items:
    """The convention, what was taken for it, and the source."""
    q = d.quantity
    kind = "a view of this model's own lists" if q.kind == "view" else (
        "a paper's formula, taken literally")
    found = [spans(f"in {_UNITS.get(q.unit, q.unit)}: {q.convention}"), spans(kind)]
    found += [spans(words) for words in taken(d)]
    for bound in d.windows:
        most = "most" if bound.side == "within" else "least"
        found.append(spans(f"a sequence stands {bound.side} the window: ", Math(bound.seen),
                           f" is at {most} ", Math(bound.window)))
    found += [spans("taken: ", Math(ex.Sym(name), "=", ex.Num(d.values[name])), f" ({why})")
              for name, why in d.assumed.items() if name in d.values and d.numbers]
    found += [spans(f"left out: {words}") for words in d.model.left_out]
    return Items((*found, spans(f"source: {q.source}")))


_UNITS = {"B": "bytes", "FLOP": "FLOPs"}


def taken(d: QuantityDerivation) -> Iterator[str]:
    """What the formula's numbers come from: formats, ways to count, ratios, in words."""
    for need in d.quantity.needs:
        if need in _TAKEN and (words := _TAKEN[need](d.setting)):
            yield words


def _groups(setting: Setting) -> str:
    found = setting.scales
    return "" if found is None else (
        f"{found.size} inputs share a scale in {found.scale.name}; what is not quantised is in "
        f"{found.rest.name}")


def _attention(setting: Setting) -> str:
    return ("every pair of query and key is counted" if setting.attention == "full" else
            "half of the pairs are counted where attention is causal")


_TAKEN: dict[str, Callable[[Setting], str]] = {
    "weights": lambda s: f"a weight takes {s.weights.bits} bits ({s.weights.name})",
    "cache": lambda s: f"a cached number takes {s.cache.bits} bits ({s.cache.name})",
    "groups": _groups, "attention": _attention,
    "training_bytes": lambda s: f"{s.training_bytes} bytes a parameter in training",
    "data": lambda s: f"{s.data.tokens_per_parameter} tokens a parameter, "
                      f"{float(s.data.characters_per_token):g} characters a token"}


def _notation(d: QuantityDerivation) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name in d.symbols():
        row: list[Cell] = [Math(ex.Sym(name)), describe(name).meaning]
        if d.numbers:
            row.append(grouped(d.values[name]) if name in d.values else "")
        rows.append(tuple(row))
    columns = (Column("symbol"), Column("meaning"), *((Column("here", "right"),) if d.numbers
                                                      else ()))
    return Table(columns, tuple(rows), role="notation")


def _entries(d: QuantityDerivation) -> Table:
    """Each entry by component, its factors as they are written."""
    rows: list[tuple[Cell, ...]] = []
    for portion in d.portions:
        for i, share in enumerate(portion.shares):
            word = share.path.rpartition(".")[2]
            rows.append((portion.title if i == 0 else "",
                         (Label(matrix_names([word])), _which(word)),
                         Math(written(share))))
    if any(portion.title for portion in d.portions):
        return Table((Column("component"), Column("entry"), Column(d.quantity.unit)), tuple(rows))
    return Table((Column("entry"), Column(d.quantity.unit)), tuple(row[1:] for row in rows))


def _which(word: str) -> str:
    """What tells shares of one entry apart: its scales, its layers with a window."""
    inside = word.partition("[")[2].rstrip("]")
    return f" ({inside})" if inside else ""


def _joined(step: Step, d: QuantityDerivation) -> Equality:
    if d.detail == "full":
        return chain((step,))
    return Equality(ex.Sym(step.subject), (("=", tuple(
        Braced(t.shown, t.label) for t in step.after.terms)),))


def _given(step: Step, d: QuantityDerivation) -> tuple[Span, ...]:
    """The title of a step that puts an equation in."""
    assert step.given is not None
    words = f", {step.why}" if step.why not in {"assumed", "as given"} else ""
    note = f"{words} ({step.status}"
    if step.holds_here == "nearly":
        meant = Fraction(ex.evaluate(step.given.expr, d.values))
        note += (f", met only nearly here: {d.values[step.given.dim]}, not {decimal(meant, 2)}")
    return "Given ", relation(step.given), f"{note})"


def _ending(d: QuantityDerivation) -> Iterator[tuple[tuple[Span, ...], list[Block]]]:
    n = d.numbers
    assert n is not None
    sides = (("=", plain_terms(n.symbolic)), ("=", plain_terms(n.substituted)),
             ("=", (Braced(ex.Num(n.result)),)))
    yield spans(f"Put the numbers in: {in_units(n.result, d.quantity.unit)}"), [
        Display((Equality(ex.Sym(d.quantity.symbol), sides),))]
    entries = sum(len(p.shares) for p in d.portions)
    told = "The entry, worked" if entries == 1 else f"The {entries} entries, each worked"
    verb = "gives" if entries == 1 else "sum to"
    yield spans("Check"), [Paragraph(spans(
        f"{told} out in whole numbers without the formula, {verb} {grouped(n.result)}."))]


def in_units(value: ex.Rational, unit: str) -> str:
    """A value with its unit, and in a larger one.

    >>> in_units(2147483648, "B"), in_units(15361638400, "FLOP")
    ('2,147,483,648 B, or 2.15 GB, 2.00 GiB', '15,361,638,400 FLOP, or 15.362 GFLOP')
    """
    exact = f"{grouped(value)} {unit}"
    if unit == "B" and value >= 10**7:
        return f"{exact}, or {gigabytes(value)}, {gibibytes(value)}"
    if unit == "FLOP" and value >= 10**9:
        size, name = flop_unit(value)
        return f"{exact}, or {decimal(Fraction(value, size), 3)} {name}"
    if not isinstance(value, int) or value < 10**6 or unit in _UNITS:
        return exact
    return f"{exact}, or {short(value)}"



def _named(d: QuantityDerivation) -> tuple[Named, ...]:
    """The value and the formulas, for prose to cite."""
    of, words = d.model.name, d.quantity.name.replace("_", " ")
    found = [formula_named(of, f"{words} formula", d.formula, d.quantity.title)]
    if isinstance(d.value, int):
        found.append(Named(of, words, d.value, d.quantity.convention, counts=False))
    return tuple(found)


def quantity_json(d: QuantityDerivation, notation: Notation = PRESETS["paper"],
                  sensitivity: QuantitySensitivity | None = None) -> dict[str, Any]:
    """The derivation as data; expressions are text that the closed grammar reads back."""
    from symparam.export.depends_document import depends_rows

    q, present = d.quantity, set(d.symbols())
    return {
        "model": d.model.name, "quantity": q.name, "title": q.title, "unit": q.unit,
        "kind": q.kind, "convention": q.convention, "source": q.source, "symbol": q.symbol,
        "detail": d.detail, "formula": str(d.formula),
        "latex": LatexFormat(notation).math(d.formula), "taken": list(taken(d)),
        "windows": {str(bound.window): bound.side for bound in d.windows},
        "assumed": dict(d.assumed),
        "components": [{"symbol": p.symbol, "title": p.title, "entries": [
            {"path": share.path, "expression": str(written(share))}
            for share in p.shares]} for p in d.portions],
        "steps": [step_json(step) for step in d.steps],
        "symbols": {name: describe(name).meaning for name in d.symbols()},
        "dims": {name: value for name, value in d.values.items() if name in present},
        "missing": [name for name in d.missing if name in present],
        "value": None if d.value is None else number(d.value),
        "sensitivity": None if sensitivity is None else depends_rows(sensitivity)}
