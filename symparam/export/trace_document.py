"""A trace as a document: the tree of its count, its formula, what it rests on; and as data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from symparam import expression as ex
from symparam.derivation.plan import derive
from symparam.export.count_document import count_document, count_json, count_model
from symparam.export.document import Display, Document, Equality, Heading, plain_terms, spans
from symparam.export.foundation import resting
from symparam.model import Model
from symparam.traced.records import Trace
from symparam.traced.written import data_of


def formula_of(model: Model) -> ex.Expr:
    """The count as a sum over stacks, with no rule put in."""
    steps = derive(replace(model, values={}), ("none",)).steps
    return next(step.after.expr for step in steps if step.rule == "sum")


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
