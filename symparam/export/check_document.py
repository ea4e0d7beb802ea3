"""A comparison with a checkpoint as a document, and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from symparam.check.compare import Comparison, compare
from symparam.check.expected import expected
from symparam.check.explain import Explanation, Reload, explain
from symparam.check.header import Shape
from symparam.check.rows import Row
from symparam.export.document import Block, Cell, Code, Column, Document, Items, Table, spans
from symparam.export.numbers import grouped, several
from symparam.model import Model
from symparam.quantities import parameters
from symparam.resolve import numbers

#: Places that a difference is told by, before the others are told together.
MOST_PLACES = 12


@dataclass(frozen=True)
class CheckResult:
    """A model held against tensors that there are."""

    model: Model
    against: str
    comparison: Comparison
    explanations: tuple[Explanation, ...]
    total: int


def check_model(model: Model, against: str, found: Mapping[str, Shape],
                reload: Reload | None = None) -> CheckResult:
    """Compare, and look for the single change that explains a difference.

    Args:
        model: the model, its dims all numbers.
        against: what the tensors are those of.
        found: name to shape.
        reload: the same model read otherwise, where it has a configuration.
    """
    comparison = compare(expected(model), found, model.part)
    total = parameters.total(model.ledger(numbers(model).values))
    return CheckResult(model, against, comparison,
                       tuple(explain(model, comparison, found, reload)), int(total))


def check_json(result: CheckResult) -> dict[str, Any]:
    """The comparison as data."""
    c = result.comparison
    return {
        "model": result.model.name, "against": result.against, "part": result.model.part,
        "equal": c.equal, "layout": c.layout.name, "prefix": c.prefix,
        "matched": {"tensors": c.matched, "numel": c.numel}, "total": result.total,
        "missing": _rows_json(c.missing), "extra": _rows_json(c.extra),
        "reshaped": _rows_json(c.reshaped), "transposed": _rows_json(c.transposed),
        "beside": _rows_json(c.beside), "respelled": c.respelled,
        "explanations": [{"what": e.what, "option": e.option} for e in result.explanations],
    }


def _rows_json(rows: Iterable[Row]) -> list[dict[str, Any]]:
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
    differ = f"{several(c.distance, 'tensor')} differ{'s' if c.distance == 1 else ''}"
    verdict = "equal" if c.equal else differ
    return Document(f"{result.model.name} against {result.against}: {verdict}", tuple(blocks))


def _differences(c: Comparison) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for word, found in (("missing", c.missing), ("extra", c.extra), ("shape", c.reshaped)):
        for row in found:
            shape = _shape(row.shape)
            if row.other is not None:
                shape = f"{shape}, found {_shape(row.other)}" + (f", {row.why}" if row.why else "")
            places = list(row.places())
            if len(places) > MOST_PLACES:
                rest = sum(copies for _, copies in places[MOST_PLACES:])
                places = [*places[:MOST_PLACES], (f"{row.spelled} (others)", rest)]
            rows += [(word, Code(name), shape, grouped(copies)) for name, copies in places]
    return Table((Column("difference"), Column("tensor"), Column("shape"),
                  Column("copies", "right")), tuple(rows))


def _shape(shape: Shape) -> str:
    return "×".join(map(str, shape)) or "scalar"


def _remarks(result: CheckResult) -> list[Any]:
    c = result.comparison
    lines = [spans(f"{several(c.matched, 'tensor')} agree{'s' * (c.matched == 1)} in name and "
                   f"shape, {several(c.numel, 'number')}; {result.model.name} has "
                   f"{several(result.total, 'parameter')}")]
    lines += [spans("explained by: ", Code(e.option), f" ({e.what})") for e in result.explanations]
    if not c.equal and not result.explanations:
        lines.append(spans("no single option or dim explains it"))
    lines.append(spans(f"layout: {c.layout.name}"))
    if c.prefix:
        word = "without" if c.prefix.startswith("-") else "with"
        lines.append(spans(f"the names found are {word} the prefix ", Code(c.prefix.lstrip("-"))))
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
    lines += [spans(f"left out: {words}") for words in result.model.left_out]
    return lines
