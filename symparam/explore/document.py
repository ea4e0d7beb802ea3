"""What can be changed of a model, as a document: its dims, its rules, its checks, its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symparam import expression as ex
from symparam.arithmetic import decimal
from symparam.documents.common.foundation import resting
from symparam.documents.common.named_numbers import count_named, dims_named
from symparam.explore.explored import Explored
from symparam.model import Model
from symparam.notation.numbers import grouped
from symparam.quantities.counts import COUNTS
from symparam.writers.document import (
    Block,
    Cell,
    Code,
    Column,
    Document,
    Heading,
    Items,
    Math,
    Named,
    Source,
    Table,
    spans,
)


def explored_document(explored: Explored, data: Mapping[str, Any]) -> Document:
    """The model as a reader sees it, from the same data that a page counts with."""
    blocks: list[Block] = [_dims(data), Heading(spans("What they give")), _quantities(explored)]
    for title, key, first in (("Equations", "equations", "dim"), ("Checks", "checks", "text")):
        if data[key]:
            blocks += [Heading(spans(title)), _relations(data[key], first)]
    if data["source"]:
        blocks.append(Items((spans("source: ", Source(data["source"])),)))
    found = Document(f"{explored.model.name} · what can be changed", tuple(blocks),
                     _named(explored))
    return resting(found, explored.model)


def _dims(data: Mapping[str, Any]) -> Table:
    rows = [(Math(ex.Sym(name)), grouped(dim["value"]), _step(dim), dim["meaning"])
            for name, dim in data["dims"].items()]
    return Table((Column("symbol"), Column("number", "right"), Column("step", "right"),
                  Column("meaning")), tuple(rows))


def _step(dim: Mapping[str, Any]) -> str:
    return "×2" if dim["scale"] == "doubling" else f"+{dim['step']}"


def _quantities(explored: Explored) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for answer in explored.answers:
        if not answer.shares:
            continue
        q = answer.quantity
        whole = isinstance(answer.value, int)
        rows.append((Code(q.name), grouped(answer.value) if whole else decimal(answer.value, 3),
                     "" if q.unit == "parameters" else q.unit, q.title))
    return Table((Column("quantity"), Column("number", "right"), Column("unit"),
                  Column("meaning")), tuple(rows))


def _relations(found: list[dict[str, Any]], first: str) -> Table:
    """Equations with how firmly each holds, or checks; each with its reason."""
    if first == "dim":
        rows = [(Code(f"{each['dim']} = {each['expression']}"),
                 each["standing"] + (", followed" if each["used"] else ""), each["reason"])
                for each in found]
        return Table((Column("equation"), Column("standing"), Column("reason")), tuple(rows))
    return Table((Column("check"), Column("reason")),
                 tuple((Code(each["text"]), each["reason"]) for each in found))


def _named(explored: Explored) -> tuple[Named, ...]:
    """The numbers that prose can cite: those of a count, and each of the other quantities."""
    model: Model = explored.model
    values = explored.resolution.values
    counted = count_named(model, model.ledger(values), values)
    others = [Named(model.name, a.quantity.name.replace("_", " "), a.value, a.quantity.convention)
              for a in explored.answers if a.quantity.name not in COUNTS]
    run = {name: value for name, value in explored.run.items() if name not in values}
    return (*counted, *others, *dims_named(model.name, run, model.describe))
