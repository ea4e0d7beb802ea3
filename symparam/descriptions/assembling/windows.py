"""Which layers of a configuration see a window of tokens alone. Windows change no weight.

A family says what its key is, what holds where it is missing, and which layers slide where no
list names them; :func:`with_windows` puts that on the attentions of a model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from symparam import expression as ex
from symparam.constraints import KnownFor
from symparam.dataclass import dataclass
from symparam.descriptions.config import Config
from symparam.descriptions.pattern import Counted, counted, cycle_of
from symparam.descriptions.reading.source import shown
from symparam.model import Model
from symparam.resolve import MAX_DIM
from symparam.stack import Slot, Stack, Window

#: The numbers of the layers that slide, from the configuration and how many layers there are.
Rule: TypeAlias = Callable[[Config, int], Iterable[int]]

#: What a list of kinds of layer calls those with a window.
SLIDING = frozenset({"sliding_attention", "chunked_attention"})
#: How much deeper than twice as deep a model is looked at for layers that slide.
DEEPER = 64
#: What has keys: the slots of a block that a window bounds.
_BOUNDED = frozenset({"attention", "heads", "differential"})


def all_layers(config: Config, depth: int) -> Iterable[int]:
    """Every layer slides."""
    return range(depth)


def no_layer(config: Config, depth: int) -> Iterable[int]:
    """None slides unless a list says so."""
    return ()


def all_but_every(period: int, offset: int = 1, key: str = "") -> Rule:
    """Each layer slides but one of ``period``, the last of each where ``offset`` is 1.

    Args:
        period: the number where the key is missing.
        offset: which one is full: the layers whose number plus this is a multiple.
        key: the key of the period, if there is one.
    """
    def rule(config: Config, depth: int) -> Iterable[int]:
        value = config.data.get(key, period) if key else period
        if type(value) is not int or value < 1:
            raise config.error(key, f"expected a number of layers, found {shown(value)}")
        return (i for i in range(depth) if (i + offset) % value)

    return rule


def from_layer(key: str, first: int) -> Rule:
    """The layers slide from a number on, which a key may give."""
    return lambda config, depth: range(config.number(key, first), depth)


def rotated(config: Config, depth: int) -> list[bool]:
    """Which layers have rotary positions, where a list or a period says that some have none."""
    listed = config.data.get("no_rope_layers")
    if not listed:  # one in so many has none
        period = config.data.get("no_rope_layer_interval", 4)
        if type(period) is not int or period < 1:
            raise config.error("no_rope_layer_interval", "expected a number of layers, found "
                               f"{shown(period)}")
        return [(i + 1) % period != 0 for i in range(depth)]
    if not isinstance(listed, list) or len(listed) != depth:
        raise config.error("no_rope_layers", f"expected a one or a zero for each of {depth} layers")
    return [bool(each) for each in listed]


@dataclass(frozen=True, kw_only=True)
class Sliding:
    """How a family tells which layers slide.

    Attributes:
        key: the key of the window's length.
        default: its length where the key is missing; None for no window.
        rule: which layers slide where no list says so.
        switch: a key that has to be true, where there is one; it is false by default.
        listed: the key of a list of kinds of layer, if the family has one.
        halved: whether the key is of a window to both sides, and half of it looks back.
        more: how many tokens the window has beside those that the key counts.
        told: the numbers of the layers that slide, where the file says them in a way of its own.
    """

    key: str = "sliding_window"
    default: int | None = None
    rule: Rule = all_layers
    switch: str = ""
    listed: str = "layer_types"
    halved: bool = False
    more: int = 0
    told: frozenset[int] | None = None

    def length(self, config: Config) -> int | None:
        """The window of a configuration; None where it has none.

        Raises:
            SpecError: not a number of tokens.
        """
        if self.switch and config.data.get(self.switch, False) is not True:
            return None
        value = config.data.get(self.key, self.default)
        if isinstance(value, list) and value and all(each == value[0] for each in value):
            value = value[0]
        if value is None:
            return None
        if type(value) is not int or value > MAX_DIM:
            raise config.error(self.key, f"expected a number of tokens, found {shown(value)}")
        value = (value // 2 if self.halved else value) + self.more
        return value if value > 0 else None

    def layers(self, config: Config, depth: int) -> frozenset[int]:
        """The numbers of the layers that slide.

        Raises:
            SpecError: a list of kinds that does not fit the layers.
        """
        if self.told is not None:
            return self.told
        listed: Any = config.data.get(self.listed) if self.listed else None
        if listed is None:
            return self.ruled(config, depth)
        if not isinstance(listed, list) or len(listed) != depth:
            raise config.error(self.listed, f"expected a list of {depth} kinds of layer")
        return frozenset(i for i, kind in enumerate(listed) if kind in SLIDING)

    def ruled(self, config: Config, depth: int) -> frozenset[int]:
        """The numbers of the layers that slide where no list says so."""
        return frozenset(self.rule(config, depth))

    def until(self, config: Config, depth: int) -> int | None:
        """Where none or all of the layers slide, the depth up to which that is so."""
        if self.told is not None or (self.listed and config.data.get(self.listed) is not None):
            return None
        here, deeper = self.ruled(config, depth), 2 * depth + DEEPER
        there = self.ruled(config, deeper)
        return next((n for n in range(depth, deeper) if (n in there) != bool(here)), None)


def told(config: Config, lengths: Sequence[int | None]) -> Sliding | None:
    """The windows of a file that tells them layer by layer; None where there are none.

    Windows of several lengths are left out, which the answer says.

    Args:
        config: the configuration.
        lengths: how many tokens each layer sees; None for all of them.

    >>> told(Config("x", {"model_type": "x"}), [None, 64, None, 64]).told
    frozenset({1, 3})
    """
    found = {number: length for number, length in enumerate(lengths) if length is not None}
    if len(set(found.values())) > 1:
        config.left_out.append("windows, of several lengths: what layers keep is counted as if "
                               "they saw all tokens")
        return None
    return Sliding(key="", default=min(found.values()), told=frozenset(found)) if found else None


def with_windows(model: Model, config: Config, sliding: Sliding, stack: str = "layers",
                 total: str = "L", size: str = "window") -> Model:
    """The model with windows on the attentions of the layers that slide.

    Args:
        model: as its family built it.
        config: what it was built from.
        sliding: how its family tells which layers slide.
        stack: the name of the stacks of layers.
        total: the dim that counts the layers.
        size: the dim that is the window's length.
    """
    length, depth = sliding.length(config), model.values.get(total)
    if length is None or depth is None:
        return model
    slide = sliding.layers(config, depth)
    if len(slide) in {0, depth} and (first := sliding.until(config, depth)) is not None:
        word = "no" if slide else "a"
        model = replace(model, checks=(*model.checks, KnownFor(
            "", total, 1, first, f"layer {first} would have {word} window, unlike those before")))
    kind_of = {n: each.name for each in model.stacks for n in each.numbers}
    cycle = cycle_of([(kind_of.get(n, ""), n in slide) for n in range(depth)])
    values: dict[str, int] = {}
    rules: list[Counted] = []
    stacks = []
    for each in model.stacks:
        numbers = set(each.numbers or range(depth))
        inside, name = slide & numbers, f"{total}_window{_kind(each)}"
        if each.repeat is None or each.name.partition("[")[0] != stack or not inside or not any(
                slot.component.slot in _BOUNDED for slot in each.slots):
            stacks.append(each)
            continue
        some = len(inside) < len(numbers)
        values[size] = length
        rules += [counted(name, total, depth, inside, cycle)] if some else []
        window = Window(size, ex.Sym(name), marks=tuple(n in inside for n in range(depth))) if (
            some) else Window(size)
        stacks.append(replace(each, slots=tuple(_within(slot, window) for slot in each.slots)))
    return with_counted(replace(model, stacks=tuple(stacks), values={**model.values, **values}),
                        rules)


def with_counted(model: Model, found: Iterable[Counted]) -> Model:
    """The model with numbers of layers: what they are, or how they follow."""
    for each in found:
        model = replace(model, values={**model.values, **each.values},
                        equations=(*model.equations, *each.equations),
                        checks=(*model.checks, *each.checks))
    return model


def _kind(stack: Stack) -> str:
    kind = stack.name.partition("[")[2].rstrip("]")
    return f"_{kind}" if kind else ""


def _within(slot: Slot, window: Window) -> Slot:
    here = slot.component.slot in _BOUNDED
    return replace(slot, window=window) if here else slot


def with_selection(model: Model, config: Config, default: int = 2048, stacks: str = "",
                   kind: str = "attention") -> Model:
    """The model whose attentions look at the keys that an indexer selects, and keep all keys.

    Args:
        model: as its family built it.
        config: what it was built from; ``index_topk`` is the number of keys.
        default: the number where the key is missing.
        stacks: what the kind of a stack begins with that has an indexer; all of them if empty.
        kind: the slot whose products the selection bounds.
    """
    number = Sliding(key="index_topk", default=default).length(config)
    return model if number is None else selecting(model, number, stacks, kind)


def selecting(model: Model, number: int, stacks: str = "", kind: str = "attention") -> Model:
    """The model whose attentions look at so many selected keys (see :func:`with_selection`)."""
    window = Window("top_index", keeps=True)
    found = tuple(replace(each, slots=tuple(
        replace(s, window=window) if s.path == kind else s for s in each.slots))
        if f"[{stacks}" in each.name or not stacks else each for each in model.stacks)
    if not any(s.window == window for each in found for s in each.slots):
        return model
    return replace(model, stacks=found, values={**model.values, "top_index": number})
