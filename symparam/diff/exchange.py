"""What is exchanged between two models: components, and the dims in which they differ."""

from __future__ import annotations

from collections.abc import Iterator

from symparam import components
from symparam import expression as ex
from symparam.component import Component
from symparam.constraints import Standing
from symparam.dataclass import dataclass
from symparam.diff.side import Side
from symparam.dims import order_key
from symparam.stack import Slot, Stack

_TITLES = {"ffn": "feed-forward", "token": "token embedding", "norm": "norm"}


#: A part that a trace did not find by the name that another model has for it.
NOT_NAMED = "none by this name"


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
        follows: what either model writes it by (``n_kv`` of multi-head attention by ``n_heads``);
            None where it stands for itself.
    """

    name: str
    before: int | None
    after: int | None
    only: str = ""
    follows: tuple[ex.Expr | None, ex.Expr | None] = (None, None)


def exchanges(before: Side, after: Side) -> tuple[Exchange, ...]:
    """The components that differ, in the order in which a token meets them."""
    first, second = _described(before), _described(after)
    order = [*second, *(key for key in first if key not in second)]
    return tuple(Exchange(key, first.get(key, _missing(before)), second.get(key, _missing(after)))
                 for key in order if first.get(key) != second.get(key))


def _missing(side: Side) -> str:
    """What is said of a component that is not there: a trace may have it under another name."""
    return "" if side.model.trace is None else NOT_NAMED


def dim_changes(before: Side, after: Side) -> tuple[DimChange, ...]:
    """The dims in which two models differ; those that both write by others are left out."""
    return tuple(_dim_changes(before, after))


def _dim_changes(first: Side, second: Side) -> Iterator[DimChange]:
    for name in sorted({*_own(first), *_own(second)}, key=order_key):
        numbers = first.values.get(name), second.values.get(name)
        follows = first.written.get(name), second.written.get(name)
        only = "before" if not _has(second, name) else "after" if not _has(first, name) else ""
        if only or any(follows) or (None not in numbers and numbers[0] != numbers[1]):
            yield DimChange(name, *numbers, only, follows)


def _own(side: Side) -> set[str]:
    """The dims that stand for themselves."""
    return {*side.free, *(name for name in side.model.dims if name not in side.written)}


def _has(side: Side, name: str) -> bool:
    return name in side.free or name in side.model.dims


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


def _as_used(component: Component, side: Side) -> Component | type[Component]:
    """The kind that a component is with the numbers here: grouped queries of which each has its
    own key and value are multi-head attention."""
    own = type(component)
    for cls in components.everything():
        if cls.slot == own.slot and cls.__bases__ == own.__bases__ != (Component,) and any(
                eq.standing is Standing.DEFINITION and side.written.get(eq.dim) == eq.expr
                for eq in cls.equations):
            return cls
    return component
