"""An architecture of one's own, from TOML or JSON; the schema is in docs/architecture-file.md."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from symparam import expression as ex
from symparam.component import Component
from symparam.components import find
from symparam.constraints import Check, Equation, Standing, Sums
from symparam.dims import AMBIGUOUS, NOTATIONS, TOTAL, canonical, standard
from symparam.errors import SymparamError
from symparam.grammar import Rule, constant, parse_expression, parse_rule
from symparam.model import Model, Repeat, Slot, Stack, Window
from symparam.resolve import whole_number
from symparam.spec.decoder import embedding_stack, head_stack, layer_stack
from symparam.spec.options import NORM_PLACES, final_norm_stack, norm_slots, with_positions
from symparam.spec.source import Table, shown

MAX_NUMBERED = 100_000
_TOP = ("name", "title", "notation", "source", "claim", "note", "dims", "model", "blocks")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)


@dataclass(frozen=True)
class _Kind:
    """One kind of block: its table, its name among several, its slots."""

    table: Table
    name: str
    slots: tuple[Slot, ...]

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
    values, equations = _dims(top.table("dims", {}), extra)
    stacks, counts, rules, checks = _layers(kinds, values, extra)
    rules = [rule for rule in rules if rule.dim not in values]
    model = Model(name, tuple(_around(table, stacks)), {**values, **counts},
                  (*equations, *rules), tuple(checks), source=source, claim=claim, note=note,
                  notation=notation)
    positions = table.text("positions", "rope")
    table.finish()
    return _guard(table, "positions", lambda: with_positions(model, positions))


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
    window = Window(_dim_name(below, "window")) if slot == "attention" and "window" in below else (
        None)
    return Slot(key, _guard(below, "", lambda: cls.make(options)), bound=bound, window=window)


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
        slots = tuple(slot for key in ("attention", "ffn")
                      if (slot := _component(table, key, key)) is not None)
        slots += _norms(table)
        kinds.append(_Kind(table, name if len(tables) > 1 else "", slots))
    names = [kind.name for kind in kinds]
    for kind in kinds:
        if names.count(kind.name) > 1:
            raise kind.table.error("name", f"two kinds of block are called {kind.name}")
    return kinds


def _norms(table: Table) -> tuple[Slot, ...]:
    slot = _component(table, "norm", "norm")
    assert slot is not None
    value = table.raw("norm")
    count = table.table("norm").integer("per_block", 2) if isinstance(value, dict) else 2
    if count not in NORM_PLACES:
        raise table.error("norm.per_block", f"a block has 1, 2 or 4 norms, found {count}")
    return tuple(replace(s, bound=slot.bound) for s in norm_slots(slot.component, count))


def _own_names(kinds: list[_Kind]) -> frozenset[str]:
    slots = [slot for kind in kinds for slot in kind.slots]
    bound = {name for slot in slots for name in slot.bound.values()}
    windows = {slot.window.size for slot in slots if slot.window is not None}
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
            equations.append(Equation(name, value.expr, f"a rule of {table.where}",
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
            ) -> tuple[list[Stack], dict[str, int], list[Equation], list[Check]]:
    """Stacks of layers; numbers, rules and a check for how many layers are of each kind."""
    taken = _numbered(kinds, values)
    counts: dict[str, int] = {}
    rules: list[Equation] = []
    for kind in kinds:
        own = [n for n, name in taken.items() if name == kind.name]
        if not own and kind.table.raw("layers", "L") == "rest":
            expr: ex.Expr = ex.Sym("L")
            for other in kinds:
                expr = expr if other is kind else expr - ex.Sym(other.count)
        else:
            expr = ex.Num(len(own)) if own else _count(kind, extra)
        if isinstance(expr, ex.Num):
            counts[kind.count] = int(expr.value)
            if values.get(kind.count, expr.value) != expr.value:
                raise kind.table.error("layers", f"{expr.value} layers, but [dims] gives "
                                       f"{kind.count} = {values[kind.count]}")
        elif expr != ex.Sym(kind.count):
            rules.append(Equation(kind.count, expr, f"layers of kind {kind.name or 'block'}"))
        kind.table.finish()
    stacks = [layer_stack(k.slots, Repeat.times(ex.Sym(k.count)), k.name) for k in kinds]
    checks: list[Check] = []
    if len(kinds) > 1:
        names = tuple(kind.count for kind in kinds)
        checks.append(Sums(names, "L", "every layer is of one kind"))
        rules.append(Equation("L", ex.sum_of(*map(ex.Sym, names)), "every layer is of one kind"))
    return stacks, counts, rules, checks


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


def _numbered(kinds: list[_Kind], values: Mapping[str, int]) -> dict[int, str]:
    """Layer number to kind, for kinds given by numbers, by a pattern, or as the rest."""
    taken: dict[int, str] = {}
    given = [k for k in kinds if isinstance(k.table.raw("layers", "L"), (list, dict))]
    rest = [k for k in kinds if k.table.raw("layers", "L") == "rest"]
    if len(given) + len(rest) < len(kinds):
        rest = []  # the others have a number or an expression: the rest is L less those
    for kind in (*given, *rest):
        if "L" not in values or values["L"] > MAX_NUMBERED:
            raise kind.table.error("layers", "layer numbers need a number for L in [dims], of at "
                                   f"most {MAX_NUMBERED}")
        for n in _own_numbers(kind, values["L"], taken):
            if isinstance(n, bool) or not isinstance(n, int) or not 0 <= n < values["L"]:
                raise kind.table.error("layers", f"expected numbers from 0 to {values['L'] - 1}, "
                                       f"found {shown(n)}")
            if n in taken:
                raise kind.table.error("layers", f"layer {n} is taken twice")
            taken[n] = kind.name
    if given and len(given) + len(rest) == len(kinds):
        free = [n for n in range(values["L"]) if n not in taken]
        if free:
            raise given[-1].table.error("layers", f"layer {free[0]} is of no kind; "
                                        'layers = "rest" takes what is left')
    return taken


def _own_numbers(kind: _Kind, depth: int, taken: Mapping[int, str]) -> list[Any]:
    """The layer numbers that a kind asks for.

    ``{ every = 4, from = 3, to = 40 }`` are the layers 3, 7, 11 ... below 40.
    """
    value, table = kind.table.raw("layers"), kind.table
    if isinstance(value, dict):
        pattern = table.table("layers")
        step, first = pattern.integer("every", 1), pattern.integer("from", 0)
        end = min(pattern.integer("to", depth), depth)
        pattern.finish()
        if step < 1 or first < 0:
            raise table.error("layers", "expected every >= 1 and from >= 0")
        value = list(range(first, end, step))
    elif value == "rest":
        value = [n for n in range(depth) if n not in taken]
    if not value:
        raise table.error("layers", "no layer is of this kind")
    return list(value)


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
