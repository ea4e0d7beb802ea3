"""What a model costs, as a document."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from fractions import Fraction
from typing import Any

from symparam import expression as ex
from symparam.arithmetic import decimal
from symparam.dataclass import dataclass
from symparam.documents.common.foundation import resting
from symparam.documents.common.view import View
from symparam.documents.cost_data import cost_json, cost_named, names_of, pipeline_of
from symparam.documents.cost_pictures import pictures_blocks
from symparam.errors import the
from symparam.ledger import Number
from symparam.notation.notation import PRESETS, Notation
from symparam.notation.numbers import (
    exact_number,
    flop_unit,
    gibibytes,
    gigabytes,
    grouped,
    percent,
    short,
)
from symparam.quantities.activations import ASSUMED
from symparam.quantities.cost import Cost, Counted
from symparam.quantities.parameters import in_words
from symparam.quantities.setting import COUNTED
from symparam.run import RUN
from symparam.writers.document import (
    Beside,
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
    Settings,
    Source,
    Span,
    Table,
    plain_terms,
    spans,
)

#: What the states of a stream are counted for.
_PER = {"token": "a token", "sequence": "a sequence", "encoder": "a token of the encoder"}


@dataclass(frozen=True, repr=False)
class CostView(Cost, View):
    """A cost that can be written in every format; in a notebook it shows itself."""

    notation: Notation = PRESETS["paper"]

    @classmethod
    def wrap(cls, found: Cost, notation: Notation) -> CostView:
        """A cost with these methods."""
        return cls(**{f.name: getattr(found, f.name) for f in fields(Cost)}, notation=notation)

    def document(self) -> Document:
        """The cost as a document."""
        return cost_document(self)

    def json(self) -> dict[str, Any]:
        """The cost as data."""
        return cost_json(self)

    def __repr__(self) -> str:
        return f"<cost of {self.model.name}: {', '.join(self.sections)}>"


def cost_document(c: Cost) -> Document:
    """The sections that were asked for, then what was assumed."""
    made: dict[str, Callable[[Cost], Iterator[Block]]] = {
        "weights": _weights, "cache": _cache, "flops": _flops, "pictures": pictures_blocks,
        "training": _training, "memory": _memory, "activations": _activations, "data": _data,
        "fit": _fit}
    blocks: list[Block] = []
    for section in c.sections:
        blocks += made[section](c)
    found = Document(_title(c), (*blocks, Heading(spans("What this rests on")), _remarks(c)),
                     cost_named(c))
    return resting(found, c.model)


#: Sections whose numbers do not depend on what the model is run with.
_STILL = frozenset({"weights", "memory", "data"})


def _title(c: Cost) -> str:
    setting = c.subject.setting
    title = f"{c.model.name} · {grouped(c.parameters)} parameters ({short(c.parameters)})"
    if _STILL.issuperset(c.sections):
        return title
    return f"{title} · {grouped(setting['s'])} tokens × {grouped(setting['b'])}"


def _size(value: Number) -> tuple[Cell, Cell, Cell]:
    return grouped(value), gigabytes(value), gibibytes(value)


_SIZES = (Column("bytes", "right"), Column("GB", "right"), Column("GiB", "right"))


def _weights(c: Cost) -> Iterator[Block]:
    yield Heading(spans("Weights"))
    groups = c.subject.setting.groups
    rows = [(name, *_size(value)) for name, value in c.weights().items()]
    yield Table((Column("format"), *_SIZES), tuple(rows))
    if groups is not None:
        yield Items((spans(
            f"int8 and int4 in groups of {groups.size}: the matrices of the layers in that format, "
            f"with a scale in {groups.scale.name} for each group of inputs of an output; "
            f"everything else in {groups.rest.name}. The other formats have no groups."),))


def _cache(c: Cost) -> Iterator[Block]:
    stored = c.subject.setting.cache
    yield Heading(spans(f"Cache in {stored.name}"))
    rows: list[tuple[Cell, ...]] = []
    kept = c.cache()
    for row, name in zip(kept, names_of(kept), strict=True):
        bound = f"{_PER[row.per]}"
        bound += f", the last {grouped(row.window)}" if row.window is not None else ""
        bound += f", one for {row.every}" if row.every != 1 else ""
        rows.append((f"{name}: {row.what}", f"{grouped(row.each)} {bound}",
                     grouped(row.layers), grouped(row.value)))
    if not rows:
        yield Paragraph(spans("Nothing is kept: every token sees all others at once."))
        return
    total = c.value("kv_cache")
    rows.append(("total", "", "", grouped(total)))
    yield Table((Column("kept"), Column("numbers"), Column("layers", "right"),
                 Column("bytes", "right")), tuple(rows), total=True)
    told: list[tuple[Span, ...]] = [spans(f"{gigabytes(total)}, {gibibytes(total)}")]
    if c.value("kv_elements"):
        told.append(spans(
            f"for each token {grouped(c.value('kv_elements'))} numbers in all layers, "
            f"{grouped(c.value('kv_per_token'))} bytes" + (
                ", while no window is full" if any(
                    state.window is not None for state in c.subject.ledger.states) else "")))
    if c.value("state"):
        told.append(spans(f"whatever the length {grouped(c.value('state'))} bytes a sequence"))
    yield Items(tuple(told))


def _flops(c: Cost) -> Iterator[Block]:
    setting = c.subject.setting
    yield Heading(spans("A forward pass, in FLOPs"))
    total = c.value("flops")
    rows: list[tuple[Cell, ...]] = []
    for row in c.work():
        rows.append((in_words(row.path), grouped(row.weights), grouped(row.products),
                     percent(row.value, total)))
    rows.append(("total", grouped(sum(r.weights for r in c.work())),
                 grouped(sum(r.products for r in c.work())), "100.0 %"))
    yield Table((Column("component"), Column("with weights", "right"),
                 Column("without", "right"), Column("share", "right")), tuple(rows), total=True)
    told = [spans(f"{grouped(total)} in all ({short(int(total))}); matrix products, "
                  f"{COUNTED[setting.attention]}")]
    if scans := c.value("flops_scans"):
        told.append(spans(f"recurrences multiply {grouped(scans)} more, number by number"))
    encoder = any(stack.stream == "encoder" for stack in c.model.stacks)
    if not encoder:
        causal = all(product.causal for product in c.subject.ledger.products)
        told.append(spans(f"{grouped(c.value('flops_per_token'))} a token of the sequence"
                          + (", and one that is generated after the others"
                             if setting.attention == "full" and causal else "")))
    told.append(spans(f"{grouped(c.value('flops_training'))} with a backward pass, "
                      "counted in the same way"))
    yield Items(tuple(told))


def _training(c: Cost) -> Iterator[Block]:
    run = c.subject.setting.run.get("D")
    yield Heading(spans("Training, in FLOPs a token" if run is None else
                        f"Training on {grouped(run)} tokens, in FLOPs"))
    shown = c.training()
    largest = max((e.value for e in shown if e.value is not None), default=0)
    size, unit = flop_unit(0 if run is None else largest)
    rows: list[tuple[Cell, ...]] = []
    for each in shown:
        value = each.value
        rows.append((each.quantity.title, each.quantity.kind,
                     "–" if value is None else grouped(value),
                     "–" if value is None else decimal(Fraction(value, size), 3)))
    yield Table((Column("convention"), Column("kind"), Column("FLOPs", "right"),
                 Column(unit, "right")), tuple(rows))
    items = [_definition(e) for e in shown]
    if c.counts_otherwise:
        how = "otherwise" if len(c.conventions) == 1 else "so"
        items.append(spans(f"the forward pass above counts attention {how}: "
                           f"{COUNTED[c.subject.setting.attention]}"))
    items += [spans(f"{e.quantity.title}: not here: {e.why_not}") for e in shown if e.why_not]
    if {e.quantity.kind for e in shown} == {"view", "literal"}:
        items.append(spans("A view counts this model's own matrices; a literal is a paper's "
                           "formula, with what it builds in."))
    yield Items(tuple(items))


def _definition(e: Counted) -> tuple[Span, ...]:
    """What a convention counts, the formula of one that is taken literally, and its source."""
    formula = e.quantity.formula()
    words, source = f"{e.quantity.convention}; ", Source(e.quantity.source)
    if formula is None:
        return spans(f"{e.quantity.title}: {words}", source)
    return spans(f"{e.quantity.title}: ", Math(formula), f"; {words}", source)


def _memory(c: Cost) -> Iterator[Block]:
    setting = c.subject.setting
    yield Heading(spans("Memory in training, without activations"))
    number = setting["n_devices"]
    devices = f"{grouped(number)} device" + "s" * (number != 1)
    rows = [(e.quantity.title.removeprefix("training, "), e.quantity.convention, *_large(e))
            for e in c.memory()]
    yield Table((Column("training with"), Column("kept"), Column("bytes", "right"),
                 Column("GB", "right")), tuple(rows))
    yield Items((spans(f"ZeRO splits {setting.training_bytes} bytes a parameter among {devices}"),
                 spans("sources: ", Source("; ".join(dict.fromkeys(
                     e.quantity.source for e in c.memory()))))))


def _activations(c: Cost) -> Iterator[Block]:
    yield Heading(spans("Activations in training, by Korthikanti's formulas"))
    found = c.activations()
    if all(e.value is None for e in found):
        yield Paragraph(spans(f"Not here: {found[0].why_not}."))
        return
    rows: list[tuple[Cell, ...]] = []
    for e in found:
        formula = Math(the(ex.Expr, e.quantity.formula()))  # (each case is a literal)
        rows.append((e.quantity.title.removeprefix("activations, "), formula, *_large(e)))
    yield Table((Column("case"), Column("formula"), Column("bytes", "right"),
                 Column("GB", "right")), tuple(rows))
    told = f"t = {grouped(c.subject.setting['t'])}; "
    yield Items((spans(told, Source(found[0].quantity.source)),
                 *(spans(f"assumed: {words}") for words in ASSUMED)))


def _large(e: Counted) -> tuple[Cell, Cell]:
    """Bytes, whole: what is left of a division takes one more."""
    if e.value is None:
        return "–", "–"
    return grouped(-(-e.value // 1)), gigabytes(e.value)


def _data(c: Cost) -> Iterator[Block]:
    yield Heading(spans("From specifications to data"))
    for link in pipeline_of(c):
        n = link.numbers
        source = (" ", Beside(link.source)) if link.source else ()
        yield Paragraph(spans(link.why, *source, f" ({link.status})"))
        sides = [("=", plain_terms(n.symbolic)), ("=", plain_terms(n.substituted))]
        yield Display((Equality(ex.Sym(link.symbol), (*sides, ("=", (
            Braced(ex.Num(n.result)),)))),))
    if link.symbol != "C":
        yield Items((spans(f"what training costs is not given: {c.subject.ledger.unsent}"),))


def _fit(c: Cost) -> Iterator[Block]:
    fits = c.fits()
    if not fits:
        return
    device = fits[0].device
    yield Heading(spans(f"Does it fit on {device.name} ({gigabytes(device.memory)})"))
    rows = tuple((fit.what, grouped(-(-fit.needed // 1)), "yes" if fit.fits else "no",
                  exact_number(fit.left // 1)) for fit in fits)
    yield Table((Column("what"), Column("bytes", "right"), Column("fits"),
                 Column("left", "right")), rows)
    if device.source:
        yield Items((spans(f"memory as its maker writes it: {device.source}; a program can use "
                           "less"),))


def _remarks(c: Cost) -> Items:
    names = [name for name in (*c.model.dims_at_work, *RUN) if name in c.subject.dims]
    found = [spans("dims: ", Settings.of({name: c.subject.dims[name] for name in names}))]
    if c.assumed and not _STILL.issuperset(c.sections):
        found.append(spans("assumed: " + "; ".join(
            f"{name} = {c.subject.setting[name]} ({why})" for name, why in c.assumed.items())))
    if not _STILL.issuperset(c.sections):
        found += map(spans, c.beyond)
    found += [spans(f"left out: {words}") for words in c.model.left_out]
    if c.model.beside and not _STILL.issuperset(c.sections):
        found.append(spans(c.model.beside))
    if c.subject.ledger.unset:
        found.append(spans("unset (FLOPs, caches, activations, active parameters): "
                           f"{c.subject.ledger.unset}"))
    if c.model.source:
        found.append(spans("source: ", Source(c.model.source)))
    return Items(tuple(found))
