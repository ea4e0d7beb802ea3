"""An architecture of one's own, from TOML or JSON; the schema is in docs/architecture-file.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from symparam import expression as ex
from symparam.component import Component
from symparam.components import find
from symparam.constraints import Equation, Standing
from symparam.descriptions.architecture.blocks import Kind, kinds_of
from symparam.descriptions.architecture.layers import layers_of
from symparam.descriptions.decoder import embedding_stack, head_stack
from symparam.descriptions.options import final_norm_stack, with_known, with_positions
from symparam.descriptions.reading.source import DataTable, guarded, shown
from symparam.dims import NOTATIONS, TOTAL, canonical
from symparam.grammar import Rule, constant, parse_rule
from symparam.model import Model
from symparam.resolve import whole_number
from symparam.stack import Slot, Stack, counts_of_kinds

_TOP = ("name", "title", "notation", "source", "claim", "note", "dims", "model", "blocks")


def describe_model(where: str, data: Mapping[str, Any], name: str) -> Model:
    """The model that a description states.

    Args:
        where: the file, for messages.
        data: what it holds.
        name: the model's name unless the description has one.

    Raises:
        SpecError: what is wrong, with the path into the description.
    """
    top = DataTable(where, data)
    top.only_keys(_TOP)
    name = top.name(name)
    notation = top.text("notation", "paper")
    if notation not in NOTATIONS:
        notation = _notation_beside(top, notation)
    source, claim, note = (top.text(key, "") for key in ("source", "claim", "note"))
    table = top.table("model", {})
    kinds = kinds_of(top)
    extra = _own_names(kinds)
    dims = top.table("dims", {})
    values, equations = _dims(dims, extra)
    stacks, counted = layers_of(kinds, values, extra)
    followed = {rule.dim for rule in counted.equations if rule.standing is Standing.PATTERN}
    values = {dim: number for dim, number in values.items() if dim not in followed}
    rules = [rule for rule in counted.equations if rule.dim not in values]
    model = Model(name, tuple(_around(table, stacks)), {**values, **counted.values},
                  (*equations, *rules), counted.checks, source=source, claim=claim, note=note,
                  notation=notation, zeros=counts_of_kinds(stacks) | {
                      kind.sliding for kind in kinds if kind.window is not None})
    positions = table.text("positions", "rope")
    table.finish()
    placed = guarded(table, "positions", lambda: with_positions(model, positions))
    return _reasoned(_used(placed, dims, kinds, extra))


def _used(model: Model, dims: DataTable, kinds: list[Kind], extra: frozenset[str]) -> Model:
    """The model with the options on that stated dims belong to; each of them is one of its dims."""
    stated = {canonical(key, extra): key for key in dims.data}
    for kind in kinds:
        ffn = kind.table.raw("ffn", "none")
        for slot in kind.slots if isinstance(ffn, dict) else ():
            for dim, option in slot.component.switched.items():
                if slot.path == "ffn" and ffn.get(option) is False and (
                        slot.bound.get(dim, dim) in stated and dim not in model.names):
                    raise kind.table.error(f"ffn.{option}", f"is false, but [dims] gives {dim}")
    if len(kinds) > 1:
        stated.pop("L", None)  # what the kinds add up to
    for name, key in stated.items():
        model = guarded(dims, key, partial(with_known, model, {name: dims.data[key]}))
    return model


def _reasoned(model: Model) -> Model:
    """The model, its stated rules with the reason that a component or a block gives for them."""
    usual = {(eq.dim, eq.expr): eq.reason for _, slot in model.slots()
             for eq in (e.renamed(slot.bound) for e in slot.component.equations)}
    return replace(model, equations=tuple(
        replace(eq, reason=usual.get((eq.dim, eq.expr), eq.reason)) for eq in model.equations))


def _notation_beside(top: DataTable, name: str) -> str:
    """The path of a notation's file, which stands in the folder of the description."""
    parts = PurePosixPath(name).parts
    if not name.endswith(".toml") or name.startswith("/") or {"..", "~"} & set(parts) or (
            "\\" in name or not name.isprintable()):
        raise top.error("notation", f"expected one of {', '.join(NOTATIONS)}, or a .toml file in "
                        f"the same folder, found {shown(name)}")
    return str(Path(top.where).parent.joinpath(*parts))


def _own_names(kinds: list[Kind]) -> frozenset[str]:
    slots = [slot for kind in kinds for slot in kind.slots]
    bound = {name for slot in slots for name in slot.bound.values()}
    windows = {name for kind in kinds if kind.window is not None
               for name in (kind.window.size, kind.sliding)}
    return frozenset(bound | windows | {kind.count for kind in kinds})


def _dims(table: DataTable, extra: frozenset[str]) -> tuple[dict[str, int], list[Equation]]:
    values: dict[str, int] = {}
    equations: list[Equation] = []
    for key in table.data:
        name = guarded(table, key, partial(canonical, key, extra))
        value = _value(table, key, extra)
        if name == TOTAL.name or (isinstance(value, Rule) and TOTAL.name in ex.symbols_in(
                value.expr)):
            raise table.error(key, "P is the total, not a dim")
        if name in values or name in {eq.dim for eq in equations}:
            raise table.error(key, f"{name} is given twice")
        if isinstance(value, int):
            values[name] = guarded(table, key, partial(whole_number, name, value))
        else:
            equations.append(Equation(name, value.expr, "stated in the description",
                                      Standing.DEFAULT, value.rounding))
    return values, equations


def _value(table: DataTable, key: str, extra: frozenset[str]) -> int | Rule:
    value = table.raw(key)
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise table.error(key, f"expected a whole number or a rule in text, found {shown(value)}")
    if isinstance(value, int):
        return value
    rule: Rule = guarded(table, key, lambda: parse_rule(value, extra))
    number = guarded(table, key, lambda: constant(rule))
    return rule if number is None else guarded(table, key, lambda: whole_number(key, number))


def _around(table: DataTable, stacks: list[Stack]) -> Iterator[Stack]:
    """Embedding, layers, final norm, pooler and head as the [model] table states."""
    slots = []
    if table.boolean("segments", False):
        slots.append(Slot("segments", find("segments", "segments")()))
    if "embedding_norm" in table:
        slots.append(Slot("norm", _norm_component(table, "embedding_norm"), "embed_norm."))
    yield embedding_stack(*slots)
    yield from stacks
    if table.raw("final_norm", "rmsnorm") is not False:
        yield final_norm_stack(_norm_component(table, "final_norm"))
    if table.boolean("pooler", False):
        yield Stack("pooler", (Slot("pooler", find("pooler", "pooler")()),))
    options = {"tied": table.boolean("tied", False), "bias": table.raw("bias", [])}
    if not table.boolean("head", True):
        if options["tied"] or options["bias"]:
            raise table.error("head", "there is no head to be tied or to have a bias")
    else:
        yield head_stack(guarded(table, "bias", lambda: find("head", "lm").make(options)))


def _norm_component(table: DataTable, key: str) -> Component:
    kind = table.text(key, "rmsnorm")
    component: Component = guarded(table, key, lambda: find("norm", kind)())
    return component
