"""What is exchanged between two models: components, and the dims in which they differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from symparam import components
from symparam.component import Component
from symparam.constraints import Standing
from symparam.diff.side import Side
from symparam.dims import order_key
from symparam.model import Slot, Stack

_TITLES = {"ffn": "feed-forward", "token": "token embedding", "norm": "norm"}


@dataclass(frozen=True)
class Exchange:
    """A component that is not the same in both models.

    Attributes:
        title: what it is a choice for: ``attention``, ``positions``.
        before, after: what stands there, in words; empty where nothing does.
    """

    title: str
    before: str
    after: str


@dataclass(frozen=True)
class DimChange:
    """A dim that differs, or that only one of the models has.

    Attributes:
        name: the dim.
        before, after: its numbers; None where there is none.
        only: ``before`` or ``after`` where only that model has the dim; else empty.
    """

    name: str
    before: int | None
    after: int | None
    only: str = ""


def exchanges(before: Side, after: Side) -> tuple[Exchange, ...]:
    """The components that differ, in the order in which a token meets them."""
    first, second = _described(before), _described(after)
    order = [*second, *(key for key in first if key not in second)]
    return tuple(Exchange(key, first.get(key, ""), second.get(key, "")) for key in order
                 if first.get(key) != second.get(key))


def dim_changes(before: Side, after: Side) -> tuple[DimChange, ...]:
    """The dims in which two models differ; those that are written by others are left out."""
    first, second = _dims(before), _dims(after)
    return tuple(_dim_changes(first, second))


def _dim_changes(first: dict[str, int | None],
                 second: dict[str, int | None]) -> Iterator[DimChange]:
    for name in sorted({*first, *second}, key=order_key):
        if name not in second:
            yield DimChange(name, first[name], None, "before")
        elif name not in first:
            yield DimChange(name, None, second[name], "after")
        elif first[name] is not None and second[name] is not None and (
                first[name] != second[name]):
            yield DimChange(name, first[name], second[name])


def _dims(side: Side) -> dict[str, int | None]:
    names = (*side.free, *(name for name in side.model.dims if name not in side.written))
    return {name: side.values.get(name) for name in names}


def _described(side: Side) -> dict[str, str]:
    """Each choice with what stands there, kinds of layer one after another."""
    found: dict[str, dict[str, None]] = {}
    for stack in side.model.stacks:
        norms: dict[str, int] = {}
        for slot in stack.slots:
            words = in_words(slot.component, side)
            if slot.component.slot == "norm" and stack.repeat:
                norms[words] = norms.get(words, 0) + 1
            else:
                found.setdefault(_title(stack, slot), {})[words] = None
        for words, count in norms.items():
            key = f"{_family(stack)}norms of a block"
            found.setdefault(key, {})[f"{words} × {count}"] = None
    return {key: "; ".join(words) for key, words in found.items()}


def _family(stack: Stack) -> str:
    family = stack.name.partition("[")[0]
    return "" if family == "layers" or not stack.repeat else f"{family} "


def _title(stack: Stack, slot: Slot) -> str:
    """What a component is a choice for, wherever in the model it stands."""
    kind, name = slot.component.slot, stack.name.replace("_", " ")
    if kind == "norm":
        return name if "norm" in name else f"norm of the {name}"
    return _family(stack) + _TITLES.get(kind, kind.replace("-", " "))


def in_words(component: Component, side: Side) -> str:
    """A component's title with the options that it has beyond the usual ones."""
    cls, words = _as_used(component, side), []
    for option, default in component.options().items():
        value, name = getattr(component, option), option.replace("_", " ")
        if value == default:
            continue
        if isinstance(value, frozenset):
            words.append(f"{name} {', '.join(sorted(value))}")
        else:
            words.append(name if value is True else f"{name} {value}")
    return ", ".join([cls.title, *words])


def _as_used(component: Component, side: Side) -> type[Component]:
    """The kind that a component is with the numbers here: grouped queries of which each has its
    own key and value are multi-head attention."""
    own = type(component)
    for cls in components.everything():
        if cls.slot == own.slot and cls.__bases__ == own.__bases__ != (Component,) and any(
                eq.standing is Standing.DEFINITION and side.written.get(eq.dim) == eq.expr
                for eq in cls.equations):
            return cls
    return own
