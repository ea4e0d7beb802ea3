"""How many layers are of each kind of block: numbers, rules and checks, as a description states."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from symparam import expression as ex
from symparam.constraints import Equation, Sums
from symparam.descriptions.architecture.blocks import Kind
from symparam.descriptions.architecture.placed import places
from symparam.descriptions.decoder import layer_stack
from symparam.descriptions.pattern import Counted, Pattern, by_pattern
from symparam.descriptions.reading.source import guarded, shown
from symparam.grammar import parse_expression
from symparam.resolve import whole_number
from symparam.stack import Borrowed, Repeat, Slot, Stack


def layers_of(kinds: Sequence[Kind], values: Mapping[str, int],
              extra: Collection[str]) -> tuple[list[Stack], Counted]:
    """Stacks of layers; numbers, rules and checks for how many layers are of each kind.

    Args:
        kinds: the kinds of block.
        values: the numbers that the description gives.
        extra: names that expressions may have besides the known dims.

    Raises:
        SpecError: what is wrong, with the path into the description.
    """
    found = places([(kind.name, kind.table) for kind in kinds], values)
    counted = Counted({}, (), tuple(found.checks))
    stacks: list[Stack] = []
    for kind in kinds:
        pattern = found.patterns.get(kind.name)
        counted = counted.joined(_counted(kind, kinds, pattern, values, extra))
        slots, windowed = _windowed(kind, pattern, values)
        counted = counted.joined(windowed)
        kind.table.finish()
        stack = layer_stack(slots, Repeat.times(ex.Sym(kind.count)), kind.name)
        if pattern is not None and len(found.patterns) == len(kinds) > 1:
            stack = replace(stack, numbers=tuple(n for n in range(values["L"]) if n in pattern))
        stacks.append(stack)
    borrowed = Borrowed.find(stacks)
    if borrowed is not None and not borrowed.made:
        raise kinds[0].table.error("attention.kind", f"{borrowed.by} in every layer: none would "
                                   "make the keys and values that it uses; give some layers "
                                   "another attention")
    return stacks, counted.joined(_summed(kinds)) if len(kinds) > 1 else counted


def _windowed(kind: Kind, pattern: Pattern | None,
              values: Mapping[str, int]) -> tuple[tuple[Slot, ...], Counted]:
    """A kind's slots, with the window that its attention has, and how many layers have it."""
    if kind.window is None:
        return kind.slots, Counted({})
    own = pattern if kind.name else Pattern((), (True,))
    window, counted = kind.window.on(kind.sliding, own, values)
    slots = tuple(replace(slot, window=window) if slot.path == "attention" else slot
                  for slot in kind.slots)
    if kind.window.number is None:
        return slots, counted
    size = _agreed(kind, kind.window.size, kind.window.number, values)
    return slots, Counted(size).joined(counted)


def _summed(kinds: Sequence[Kind]) -> Counted:
    """The kinds add up to all layers."""
    names, why = tuple(kind.count for kind in kinds), "every layer is of one kind"
    return Counted({}, (Equation("L", ex.sum_of(*map(ex.Sym, names)), why),),
                   (Sums(names, "L", why),))


def _agreed(kind: Kind, name: str, number: int, values: Mapping[str, int]) -> dict[str, int]:
    """A number of a block, which [dims] may repeat."""
    if values.get(name, number) != number:
        raise kind.table.error("layers" if name == kind.count else "attention.window",
                               f"{number} here, but [dims] gives {name} = {values[name]}")
    return {name: number}


def _counted(kind: Kind, kinds: Sequence[Kind], pattern: Pattern | None,
             values: Mapping[str, int], extra: Collection[str]) -> Counted:
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


def _count(kind: Kind, extra: Collection[str]) -> ex.Expr:
    """How many layers are of a kind, where no layer numbers say so."""
    value, table = kind.table.raw("layers", kind.count), kind.table
    if isinstance(value, int) and not isinstance(value, bool):
        return ex.Num(guarded(table, "layers", lambda: whole_number(kind.count, value)))
    if not isinstance(value, str):
        raise table.error("layers", "expected a number, an expression, a list of layer "
                          f"numbers, a pattern or 'rest', found {shown(value)}")
    expr: ex.Expr = guarded(table, "layers", lambda: parse_expression(value, extra))
    if not kind.name and expr != ex.Sym("L") and not isinstance(expr, ex.Num):
        raise table.error("layers", "a model with one kind of block has layers = \"L\"")
    return expr
