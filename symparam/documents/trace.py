"""A trace as a document: the tree of its count, its formula, what it rests on; and as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from symparam import expression as ex
from symparam.derivation.plan import derive
from symparam.documents.common.foundation import resting
from symparam.documents.common.view import View
from symparam.documents.count import count_document
from symparam.documents.count_data import count_json, count_model
from symparam.model import Model
from symparam.notation.notation import PRESETS, Notation
from symparam.traced.records import Trace
from symparam.traced.written import data_of
from symparam.writers.document import (
    Code,
    Column,
    Display,
    Document,
    Equality,
    Heading,
    Table,
    plain_terms,
    spans,
)


def formula_of(model: Model) -> ex.Expr:
    """The count as a sum over stacks, with no rule put in."""
    steps = derive(replace(model, values={}), ("none",)).steps
    return next(step.after.expr for step in steps if step.rule == "sum")


class TraceView(View):
    """A trace in every format: its count, its formula, what both rest on."""

    def __init__(self, model: Model, trace: Trace,
                 notation: Notation = PRESETS["paper"]) -> None:
        self.model, self.trace, self.notation = model, trace, notation

    def document(self) -> Document:
        """The count's tree, the formula, then what both rest on."""
        return trace_document(self.model)

    def json(self) -> dict[str, Any]:
        """The count, the formula, and the file that the trace makes."""
        return trace_json(self.model, self.trace)


class KeysView(View):
    """What a target takes, in every format.

    Attributes:
        target: the target, as it was named.
        keys: each key with the dim that it is, its value here, and whether it is a switch.
    """

    def __init__(self, target: str, keys: Sequence[Mapping[str, Any]],
                 notation: Notation = PRESETS["paper"]) -> None:
        self.target, self.keys, self.notation = target, keys, notation

    def document(self) -> Document:
        """The keys as a table."""
        rows = tuple((Code(key["key"]), Code("—" if key["switch"] else key["dim"]),
                      Code(str(key["value"]))) for key in self.keys)
        columns = (Column("the target's own"), Column("dim"), Column("here"))
        return Document(f"{self.target}: what it takes", (Table(columns, rows),))

    def json(self) -> dict[str, Any]:
        """The keys as data."""
        return {"keys": list(self.keys)}


def trace_document(model: Model) -> Document:
    """The count's tree, the formula, then what both rest on."""
    found = count_document(count_model(replace(model, trace=None)), False)
    formula = Equality(ex.Sym("P"), (("=", plain_terms(formula_of(model))),))
    target = "" if model.trace is None else f" · traced from {model.trace.target}"
    blocks = (*found.blocks, Heading(spans("In symbols")), Display((formula,)))
    title = found.title.partition(" · ")[0] + " · " + found.title.split(" · ")[1]
    return resting(Document(f"{title}{target}", blocks, found.numbers), model)


def trace_json(model: Model, trace: Trace) -> dict[str, Any]:
    """The count as ``count --json`` has it, the formula, and the file that the trace makes."""
    return {"count": count_json(count_model(model), False), "formula": str(formula_of(model)),
            "file": data_of(trace)}
