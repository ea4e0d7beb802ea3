"""An architecture of one's own, from TOML or JSON; the schema is in docs/architecture-file.md."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from symparam import expression as ex
from symparam.component import Component
from symparam.components import find
from symparam.constraints import Check, Equation, Standing, Sums
from symparam.dataclass import dataclass
from symparam.dims import AMBIGUOUS, NOTATIONS, TOTAL, canonical, standard
from symparam.errors import SymparamError, the
from symparam.grammar import Rule, constant, parse_expression, parse_rule
from symparam.model import Model, Repeat, Slot, Stack
from symparam.resolve import whole_number
from symparam.spec.decoder import embedding_stack, head_stack, layer_stack
from symparam.spec.options import (
    NORM_PLACES,
    final_norm_stack,
    norm_slots,
    with_known,
    with_positions,
)
from symparam.spec.pattern import Counted, Pattern, by_pattern
from symparam.spec.placed import Bounded, places
from symparam.spec.source import Table, shown

_TOP = ("name", "title", "notation", "source", "claim", "note", "dims", "model", "blocks")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)


@dataclass(frozen=True)
class _Kind:
    """One kind of block: its table, its name among several, its slots."""

    table: Table
    name: str
    slots: tuple[Slot, ...]
    window: Bounded | None = None

    @property
    def sliding(self) -> str:
        """The dim that says how many layers of this kind have a window."""
        return f"L_window_{self.name}" if self.name else "L_window"

    @property
    def count(self) -> str:
        """The dim that says how many layers are of this kind."""
        return f"L_{self.name}" if self.name else "L"


def describe_model(where: str, data: Mapping[str, Any], name: str) -> Model:
    """The model that a description states.

    Args:
        where: the file, for messages.
        data: what it holds.
        name: the model's name unless the description has one.

    Raises:
        SpecError: what is wrong, with the path into the description.
    """
    top = Table(where, data)
    top.only_keys(_TOP)
    name = top.text("name", name)
    notation = top.text("notation", "paper")
    if notation not in NOTATIONS:
        notation = _notation_beside(top, notation)
    source, claim, note = (top.text(key, "") for key in ("source", "claim", "note"))
    table = top.table("model", {})
    kinds = _kinds(top)
    extra = _own_names(kinds)
    dims = top.table("dims", {})
    values, equations = _dims(dims, extra)
    stacks, counted = _layers(kinds, values, extra)
    followed = {rule.dim for rule in counted.equations if rule.standing is Standing.PATTERN}
    values = {dim: number for dim, number in values.items() if dim not in followed}
    rules = [rule for rule in counted.equations if rule.dim not in values]
    model = Model(name, tuple(_around(table, stacks)), {**values, **counted.values},
                  (*equations, *rules), counted.checks, source=source, claim=claim, note=note,
                  notation=notation)
    positions = table.text("positions", "rope")
    table.finish()
    placed = _guard(table, "positions", lambda: with_positions(model, positions))
    return _reasoned(_used(placed, dims, kinds, extra))


def _used(model: Model, dims: Table, kinds: list[_Kind], extra: frozenset[str]) -> Model:
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
        model = _guard(dims, key, partial(with_known, model, {name: dims.data[key]}))
    return model


def _reasoned(model: Model) -> Model:
    """The model, its stated rules with the reason that a component or a block gives for them."""
    usual = {(eq.dim, eq.expr): eq.reason for _, slot in model.slots()
             for eq in (e.renamed(slot.bound) for e in slot.component.equations)}
    return replace(model, equations=tuple(
        replace(eq, reason=usual.get((eq.dim, eq.expr), eq.reason)) for eq in model.equations))


def _notation_beside(top: Table, name: str) -> str:
    """The path of a notation's file, which stands in the folder of the description."""
    parts = PurePosixPath(name).parts
    if not name.endswith(".toml") or name.startswith("/") or {"..", "~"} & set(parts) or (
            "\\" in name or not name.isprintable()):
        raise top.error("notation", f"expected one of {', '.join(NOTATIONS)}, or a .toml file in "
                        f"the same folder, found {shown(name)}")
    return str(Path(top.where).parent.joinpath(*parts))


_T = TypeVar("_T")


def _guard(table: Table, key: str, call: Callable[[], _T]) -> _T:
    """A call whose error gets the path into the file."""
    try:
        return call()
    except SymparamError as error:
        if hasattr(error, "path"):
            raise
        raise table.error(key, str(error)) from None


def _component(table: Table, key: str, slot: str) -> Slot | None:
    """The component that ``key = { kind = ..., option = ... }`` names; None for kind none."""
    value = table.raw(key)
    below = Table(table.where, {"kind": value} if isinstance(value, str) else value,
                  table.below(key))
    kind = below.text("kind")
    if kind == "none" and slot != "norm":
        below.finish()
        return None
    cls = _guard(below, "kind", lambda: find(slot, kind))
    bound = _bound(below.table("dims", {}), cls)
    known = {"kind", "dims", {"norm": "per_block", "attention": "window"}.get(slot, "kind")}
    options = {k: v for k, v in below.data.items() if k not in known}
    return Slot(key, _guard(below, "", lambda: cls.make(options)), bound=bound)


def _window(table: Table, kind: str) -> Bounded | None:
    """The window that an attention states: a dim, a length, or either with some layers."""
    value = table.raw("attention", "none")
    if not isinstance(value, dict) or "window" not in value:
        return None
    below = table.table("attention")
    if not isinstance(below.raw("window"), dict):
        return Bounded(below, *_length(below, "window", kind))
    stated = below.table("window")
    size, number = _length(stated, "size", kind)
    keys = [key for key in ("layers", "except") if key in stated]
    if len(keys) > 1:
        raise stated.error("except", "say which layers have the window, or which have not")
    for key in keys:
        stated.raw(key)
    stated.finish()
    return Bounded(stated, size, number, keys[0] if keys else "")


def _length(table: Table, key: str, kind: str) -> tuple[str, int | None]:
    """The dim that is a window's length, with the number where that stands in its place."""
    value = table.raw(key)
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise table.error(key, "expected a number of tokens or the name of a dim, found "
                          f"{shown(value)}")
    if isinstance(value, str):
        return _dim_name(table, key), None
    name = f"window_{kind}" if kind else "window"
    return name, _guard(table, key, lambda: whole_number(name, value))


def _dim_name(table: Table, key: str) -> str:
    """A key's value, which names a dim."""
    target = table.text(key)
    total = target == TOTAL.name or target.startswith(f"{TOTAL.name}_")
    if not _NAME.fullmatch(target) or total or target in AMBIGUOUS:
        hint = AMBIGUOUS.get(target, f"expected the name of a dim, found {shown(target)}")
        raise table.error(key, hint)
    return target


def _bound(table: Table, cls: type[Component]) -> dict[str, str]:
    known = {dim.name for dim in cls.dims}
    bound: dict[str, str] = {}
    for key in table.data:
        own, target = _guard(table, key, partial(canonical, key)), _dim_name(table, key)
        if own not in known:
            raise table.error(key, f"{cls.title} has the dims {', '.join(sorted(known))}")
        bound[own] = standard(target)
    return bound


def _kinds(top: Table) -> list[_Kind]:
    tables = top.tables("blocks")
    kinds = []
    for table in tables:
        name = table.text("name", "")
        if len(tables) > 1 and not _NAME.fullmatch(name):
            raise table.error("name", "each of several kinds of block needs a name of letters, "
                              f"digits and _, found {shown(name)}")
        mixes = "mixer" in table
        slots = tuple(slot for key in ("attention", "mixer", "ffn")
                      if (key in table or not (mixes or key == "mixer"))
                      and (slot := _component(table, key, key)) is not None)
        slots += _norms(table)
        own = name if len(tables) > 1 else ""
        kinds.append(_Kind(table, own, slots, _window(table, own)))
    names = [kind.name for kind in kinds]
    for kind in kinds:
        if names.count(kind.name) > 1:
            raise kind.table.error("name", f"two kinds of block are called {kind.name}")
    return kinds


def _norms(table: Table) -> tuple[Slot, ...]:
    slot = the(Slot, _component(table, "norm", "norm"))
    value = table.raw("norm")
    count = table.table("norm").integer("per_block", 2) if isinstance(value, dict) else 2
    if count not in NORM_PLACES:
        raise table.error("norm.per_block", f"a block has 1, 2 or 4 norms, found {count}")
    return tuple(replace(s, bound=slot.bound) for s in norm_slots(slot.component, count))


def _own_names(kinds: list[_Kind]) -> frozenset[str]:
    slots = [slot for kind in kinds for slot in kind.slots]
    bound = {name for slot in slots for name in slot.bound.values()}
    windows = {name for kind in kinds if kind.window is not None
               for name in (kind.window.size, kind.sliding)}
    return frozenset(bound | windows | {kind.count for kind in kinds})


def _dims(table: Table, extra: frozenset[str]) -> tuple[dict[str, int], list[Equation]]:
    values: dict[str, int] = {}
    equations: list[Equation] = []
    for key in table.data:
        name = _guard(table, key, partial(canonical, key, extra))
        value = _value(table, key, extra)
        if name == TOTAL.name or (isinstance(value, Rule) and TOTAL.name in ex.symbols_in(
                value.expr)):
            raise table.error(key, "P is the total, not a dim")
        if name in values or name in {eq.dim for eq in equations}:
            raise table.error(key, f"{name} is given twice")
        if isinstance(value, int):
            values[name] = _guard(table, key, partial(whole_number, name, value))
        else:
            equations.append(Equation(name, value.expr, "stated in the description",
                                      Standing.DEFAULT, value.rounding))
    return values, equations


def _value(table: Table, key: str, extra: frozenset[str]) -> int | Rule:
    value = table.raw(key)
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise table.error(key, f"expected a whole number or a rule in text, found {shown(value)}")
    if isinstance(value, int):
        return value
    rule: Rule = _guard(table, key, lambda: parse_rule(value, extra))
    number = _guard(table, key, lambda: constant(rule))
    return rule if number is None else _guard(table, key, lambda: whole_number(key, number))


def _layers(kinds: list[_Kind], values: Mapping[str, int], extra: frozenset[str],
            ) -> tuple[list[Stack], Counted]:
    """Stacks of layers; numbers, rules and checks for how many layers are of each kind."""
    found = places([(kind.name, kind.table) for kind in kinds], values)
    counts: dict[str, int] = {}
    rules: list[Equation] = []
    checks: list[Check] = [*found.checks]
    stacks: list[Stack] = []
    for kind in kinds:
        pattern = found.patterns.get(kind.name)
        counted = _counted(kind, kinds, pattern, values, extra)
        slots = kind.slots
        if kind.window is not None:
            own = pattern if kind.name else Pattern((), (True,))
            window, more = kind.window.on(kind.sliding, own, values)
            slots = tuple(replace(slot, window=window) if slot.path == "attention" else slot
                          for slot in slots)
            counted = counted.joined(more)
            if kind.window.number is not None:
                counts |= _agreed(kind, kind.window.size, kind.window.number, values)
        counts |= counted.values
        rules += counted.equations
        checks += counted.checks
        kind.table.finish()
        stacks.append(layer_stack(slots, Repeat.times(ex.Sym(kind.count)), kind.name))
    if len(kinds) > 1:
        names = tuple(kind.count for kind in kinds)
        checks.append(Sums(names, "L", "every layer is of one kind"))
        rules.append(Equation("L", ex.sum_of(*map(ex.Sym, names)), "every layer is of one kind"))
    return stacks, Counted(counts, tuple(rules), tuple(checks))


def _agreed(kind: _Kind, name: str, number: int, values: Mapping[str, int]) -> dict[str, int]:
    """A number of a block, which [dims] may repeat."""
    if values.get(name, number) != number:
        raise kind.table.error("layers" if name == kind.count else "attention.window",
                               f"{number} here, but [dims] gives {name} = {values[name]}")
    return {name: number}


def _counted(kind: _Kind, kinds: list[_Kind], pattern: Pattern | None,
             values: Mapping[str, int], extra: frozenset[str]) -> Counted:
    """How many layers are of a kind."""
    if kind.table.raw("layers", "L") == "rest":
        rest: ex.Expr = ex.Sym("L")
        for other in kinds:
            rest = rest if other is kind else rest - ex.Sym(other.count)
        if pattern is not None:
            _agreed(kind, kind.count, pattern.count(values["L"]), values)
        return Counted({}, (Equation(kind.count, rest, "the other layers"),))
    if pattern is not None:
        _agreed(kind, kind.count, pattern.count(values["L"]), values)
        return by_pattern(kind.count, "L", pattern) if kind.name else Counted({})
    expr = _count(kind, extra)
    if isinstance(expr, ex.Num):
        return Counted(_agreed(kind, kind.count, int(expr.value), values))
    if expr == ex.Sym(kind.count):
        return Counted({})
    return Counted({}, (Equation(kind.count, expr, "the number of such layers that is stated"),))


def _count(kind: _Kind, extra: frozenset[str]) -> ex.Expr:
    """How many layers are of a kind, where no layer numbers say so."""
    value, table = kind.table.raw("layers", kind.count), kind.table
    if isinstance(value, int) and not isinstance(value, bool):
        return ex.Num(_guard(table, "layers", lambda: whole_number(kind.count, value)))
    if not isinstance(value, str):
        raise table.error("layers", "expected a number, an expression, a list of layer "
                          f"numbers, a pattern or 'rest', found {shown(value)}")
    expr: ex.Expr = _guard(table, "layers", lambda: parse_expression(value, extra))
    if not kind.name and expr != ex.Sym("L") and not isinstance(expr, ex.Num):
        raise table.error("layers", "a model with one kind of block has layers = \"L\"")
    return expr


def _around(table: Table, stacks: list[Stack]) -> Iterator[Stack]:
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
        yield head_stack(_guard(table, "bias", lambda: find("head", "lm").make(options)))


def _norm_component(table: Table, key: str) -> Component:
    kind = table.text(key, "rmsnorm")
    component: Component = _guard(table, key, lambda: find("norm", kind)())
    return component
