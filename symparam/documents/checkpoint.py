"""A comparison with a checkpoint as a document, and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from symparam.checkpoints.blind import WHYS, Blind, blind
from symparam.checkpoints.compare import Comparison, matches, nearest
from symparam.checkpoints.expected import expected
from symparam.checkpoints.explain import Explanation, Reload, explain, too_much
from symparam.checkpoints.gguf import Weight
from symparam.checkpoints.header import Shape
from symparam.checkpoints.prefix import Prefix
from symparam.checkpoints.rows import TensorRow
from symparam.dataclass import dataclass
from symparam.documents.common.foundation import resting, resting_data
from symparam.documents.common.view import View
from symparam.model import Model
from symparam.notation.notation import PRESETS, Notation
from symparam.notation.numbers import grouped, several
from symparam.resolve import numbers
from symparam.showable import visible
from symparam.writers.document import (
    Block,
    Cell,
    Code,
    Column,
    Document,
    Heading,
    Items,
    Paragraph,
    Table,
    spans,
)

#: Places that a difference is told by, before the others are told together.
MOST_PLACES = 12
#: Shapes that have no counterpart, of which so many are shown; JSON has all.
MOST_LEFT = 20
#: Patterns of a kind of difference that a document has; JSON has all.
MOST_ROWS = 200


@dataclass(frozen=True)
class CheckResult:
    """A model held against tensors that there are; by shapes alone where names are strange.

    ``total`` is the model's number of parameters, ``there`` that of what was found.
    """

    model: Model
    against: str
    comparison: Comparison
    explanations: tuple[Explanation, ...]
    total: int
    there: int
    blind: Blind | None = None
    weight: Weight | None = None
    warnings: tuple[str, ...] = ()

    @property
    def equal(self) -> bool:
        """Whether all tensors are, and the size of the file is the one that follows."""
        return self.comparison.equal and (
            self.weight is None or self.weight.size == self.weight.expected)


def check_model(model: Model, against: str, found: Mapping[str, Shape],
                reload: Reload | None = None, weight: Weight | None = None,
                warnings: tuple[str, ...] = ()) -> CheckResult:
    """Compare, and look for the single change that explains a difference.

    Args:
        model: the model, its dims all numbers.
        against: what the tensors are those of.
        found: name to shape.
        reload: the same model read otherwise, where it has a configuration.
        weight: the size of the file, and the one that follows.
        warnings: where vocabularies are not the same.
    """
    tried = matches(expected(model), found, model.part)
    comparison = nearest(tried, found)
    total = model.ledger(numbers(model).values).total()
    explanations = tuple(explain(model, comparison, found, reload))
    strange = comparison.missing and comparison.extra and not explanations
    there = sum(map(math.prod, found.values())) - sum(row.numel for row in comparison.beside)
    return CheckResult(model, against, comparison, explanations, int(total), there,
                       blind(tried) if strange else None, weight, warnings)


class CheckView(View):
    """A comparison with tensors that there are, in every format."""

    def __init__(self, result: CheckResult, notation: Notation = PRESETS["paper"]) -> None:
        self.result, self.notation = result, notation

    @property
    def equal(self) -> bool:
        """Whether all tensors are."""
        return self.result.equal

    def document(self) -> Document:
        """The comparison as a document."""
        return check_document(self.result)

    def json(self) -> dict[str, Any]:
        """The comparison as data."""
        return check_json(self.result)


def check_json(result: CheckResult) -> dict[str, Any]:
    """The comparison as data."""
    c = result.comparison
    return {
        "model": result.model.name, "against": result.against, "part": result.model.part,
        "equal": result.equal, "layout": c.layout.name if c.named else None,
        "prefix": c.prefix.found or (c.prefix.own and f"-{c.prefix.own}"),
        "instead_of": c.prefix.own if c.prefix.found else "",
        "matched": {"tensors": c.matched, "numel": c.numel}, "total": result.total,
        "found": result.there,
        "missing": _rows_json(c.missing), "extra": _rows_json(c.extra),
        "reshaped": _rows_json(c.reshaped), "transposed": _rows_json(c.transposed),
        "beside": _rows_json(c.beside), "respelled": c.respelled,
        "explanations": [{"what": e.what, "option": e.option} for e in result.explanations],
        "blind": None if result.blind is None else _blind_json(result.blind),
        **({} if result.weight is None else {"file": _weight_json(result.weight)}),
        **({"warnings": list(result.warnings)} if result.warnings else {}),
        **resting_data(result.model),
    }


def _weight_json(w: Weight) -> dict[str, Any]:
    return {"bytes": w.size, "expected": w.expected, "types": [
        {"type": kind, "tensors": count, "numel": numel, "bytes": size}
        for kind, count, numel, size in w.types]}


def _blind_json(b: Blind) -> dict[str, Any]:
    return {
        "agrees": b.agrees, "layout": b.layout, "turned": b.turned, "stacked": b.stacked,
        "same": {"tensors": b.same, "numel": b.numel},
        "missing": _shapes_json(b.missing), "extra": _shapes_json(b.extra),
        "proposals": [{"names": list(p.names), "found": list(p.found), "shape": list(p.shape),
                       "copies": p.copies, "why": p.why} for p in b.proposals]}


def _shapes_json(shapes: Iterable[tuple[Shape, int]]) -> list[dict[str, Any]]:
    return [{"shape": list(shape), "copies": copies} for shape, copies in shapes]


def _rows_json(rows: Iterable[TensorRow]) -> list[dict[str, Any]]:
    return [{"name": r.name, "shape": list(r.shape), "copies": r.copies,
             "other_shape": None if r.other is None else list(r.other), "why": r.why,
             "spelled": r.spelled or r.name, "whole": r.whole,
             "indices": [[list(numbers) for numbers in box] for box in r.boxes]}
            for r in rows]


def check_document(result: CheckResult) -> Document:
    """The verdict, what differs, what explains it, and what was tolerated."""
    c = result.comparison
    blocks: list[Block] = []
    if not c.equal:
        blocks.append(_differences(c))
    blocks.append(Items(tuple(_remarks(result))))
    if result.blind is not None:
        blocks += _blind(result.blind)
    differ = f"{several(c.distance, 'tensor')} differ{'s' if c.distance == 1 else ''}"
    if result.blind is not None and result.blind.agrees:
        differ += ", all shapes agree" + ", layers stacked" * result.blind.stacked
    verdict = "equal" if result.equal else "another size" if c.equal else differ
    return resting(Document(f"{result.model.name} against {result.against}: {verdict}",
                            tuple(blocks)), result.model)


def _blind(b: Blind) -> list[Block]:
    """What shapes alone say, and which tensor may be which."""
    way = (", where a tensor holds a matrix of all layers" * b.stacked
           + " whichever way round they are stored" * b.turned)
    count, numel = several(b.same, "tensor"), several(b.numel, "number")
    said = (f"The shapes of all {count} are the same on both sides{way}, as is their sum, {numel}: "
            "the numbers of parameters are equal, the names are not." if b.agrees else
            f"{count} ({numel}) have a counterpart of their shape{way}.")
    blocks: list[Block] = [Heading(spans("Blind to names")), Paragraph(spans(said))]
    left = [(word, _shape(shape), grouped(copies)) for word, shapes in (
        ("missing", b.missing), ("extra", b.extra)) for shape, copies in shapes]
    if left:
        blocks.append(Table((Column("left over"), Column("shape"), Column("copies", "right")),
                            tuple(left[:MOST_LEFT])))
        if len(left) > MOST_LEFT:
            more = several(len(left) - MOST_LEFT, "further shape")
            blocks.append(Paragraph(spans(f"and {more}")))
    if b.proposals:
        blocks += [Paragraph(spans("Which may be which is a proposal; shapes do not decide it.")),
                   _proposals(b), Items(tuple(
                       spans(f"{why}: {words}") for why, words in WHYS.items()
                       if any(p.why == why for p in b.proposals)))]
    return blocks


def _proposals(b: Blind) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for p in b.proposals:
        many = max(len(p.names), len(p.found))
        rest: tuple[Cell, ...] = (_shape(p.shape), grouped(p.copies), p.why)
        for i in range(many):
            rows.append((Code(p.names[i]) if i < len(p.names) else "",
                         Code(visible(p.found[i])) if i < len(p.found) else "", *rest))
            rest = ("", "", "")
    return Table((Column("tensor"), Column("may be"), Column("shape"), Column("copies", "right"),
                  Column("by")), tuple(rows))


def _differences(c: Comparison) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for word, found in (("missing", c.missing), ("extra", c.extra), ("shape", c.reshaped)):
        for row in found[:MOST_ROWS]:
            shape = _shape(row.shape)
            if row.other is not None:
                shape = f"{shape}, found {_shape(row.other)}" + (f", {row.why}" if row.why else "")
            places = list(islice(row.places(), MOST_PLACES))
            if rest := row.copies - sum(copies for _, copies in places):
                places.append((f"{row.spelled} (others)", rest))
            rows += [(word, Code(visible(name)), shape, grouped(copies)) for name, copies in places]
        if more := found[MOST_ROWS:]:
            rows.append((word, f"{several(len(more), 'pattern')} more; --json has them", "",
                         grouped(sum(row.copies for row in more))))
    return Table((Column("difference"), Column("tensor"), Column("shape"),
                  Column("copies", "right")), tuple(rows))


def _shape(shape: Shape) -> str:
    return "×".join(map(str, shape)) or "scalar"


def _size(w: Weight) -> list[Any]:
    """The bytes of a file, and of its tensors by type."""
    said = f"the file has {several(w.size, 'byte')}"
    if w.expected is None:
        said += "; what follows is not known, since a tensor is missing"
    elif w.expected == w.size:
        said += ", as follows from the model, the types and the header"
    else:
        said += f"; {grouped(w.expected)} follow from the model, the types and the header"
    kinds = "; ".join(f"{kind}: {several(count, 'tensor')}, {several(size, 'byte')}"
                      for kind, count, _, size in w.types)
    return [spans(said), spans(kinds)] if kinds else [spans(said)]


def _prefix(prefix: Prefix) -> list[Any]:
    """How the names found begin, where the model's begin otherwise."""
    found, own = Code(visible(prefix.found)), Code(prefix.own)
    if prefix.found and prefix.own:
        return [spans("the names found are with the prefix ", found, ", where the model has ", own)]
    if prefix.found:
        return [spans("the names found are with the prefix ", found)]
    return [spans("the names found are without the prefix ", own)] if prefix.own else []


def _remarks(result: CheckResult) -> list[Any]:
    c = result.comparison
    lines = [spans(f"{several(c.matched, 'tensor')} agree{'s' * (c.matched == 1)} in name and "
                   f"shape, {several(c.numel, 'number')}; {result.model.name} has "
                   f"{several(result.total, 'parameter')}")]
    if result.there == result.total and not c.equal:
        lines.append(spans("the tensors found hold as many numbers in all: the sums agree"))
    lines += [spans("explained by: ", Code(e.option), f" ({e.what})") for e in result.explanations]
    if not c.equal and not result.explanations:
        lines.append(spans("too much differs to look for an option or a dim that explains it"
                           if too_much(c) else "no single option or dim explains it"))
    if c.named:
        lines.append(spans(f"layout: {c.layout.name}"))
    lines += _prefix(c.prefix)
    if c.respelled:
        one = c.respelled == 1
        lines.append(spans(f"{several(c.respelled, 'name')} {'is' if one else 'are'} spelled, "
                           "joined or split as in published checkpoints"))
    if c.transposed:
        count = sum(row.copies for row in c.transposed)
        lines.append(spans(f"{grouped(count)} of them stored as outputs × inputs, where "
                           "transformers has inputs × outputs"))
    beside: dict[str, int] = {}
    for row in c.beside:
        beside[row.why] = beside.get(row.why, 0) + row.copies
    lines += [spans(f"{several(n, 'further tensor')}: {why}") for why, n in beside.items()]
    if result.weight is not None:
        lines += _size(result.weight)
    lines += [spans(f"warning: {words}") for words in result.warnings]
    lines += [spans(f"left out: {words}") for words in result.model.left_out]
    return lines
