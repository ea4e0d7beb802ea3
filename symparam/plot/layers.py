"""Kinds of layer in their order: what mixes tokens and what network follows, layer by layer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from symparam.dataclass import dataclass
from symparam.descriptions.pattern import cycle_of
from symparam.errors import NotDerivable
from symparam.model import Model
from symparam.plot.picture import Cell, Picture
from symparam.quantities import parameters
from symparam.resolve import numbers, resolve
from symparam.stack import Slot, Stack

#: The columns of the table; a row is a run of layers that are alike.
COLUMNS = ("model", "first", "layers", "mixing", "window", "network", "parameters")

#: What sees other tokens by their keys, by the slots where it stands.
_ATTENTION = frozenset({"attention", "heads"})
#: What stands beside an attention and changes what it sees, with what that is called.
_BESIDE = {"compressor": "compressed keys", "cross-attention": "cross-attention"}
#: What a place is called that has nothing.
NONE = "none"
#: More layers than this are no picture.
MOST_LAYERS = 2_000


@dataclass(frozen=True)
class Layer:
    """What a layer is made of.

    Attributes:
        mixing: what mixes tokens: ``full attention``, ``sliding window``, ``Mamba-2``.
        window: how many tokens or keys it sees, where that is bounded.
        network: what follows for each token alone.
        parameters: of one such layer.
    """

    mixing: str
    window: int | None
    network: str
    parameters: int


def layers(models: Sequence[Model]) -> Picture:
    """The layers of models in their order.

    Raises:
        NotDerivable: which layer is of which kind is not known.

    >>> from symparam.descriptions.load import load
    >>> [row[1:5] for row in layers([load("gemma-3-1b")]).rows[:3]]
    [(0, 5, 'sliding window', 512), (5, 1, 'full attention', '–'), (6, 5, 'sliding window', 512)]
    """
    rows: list[tuple[Cell, ...]] = []
    remarks = ["numbers of layers from 0; parameters: of one such layer",
               "window: tokens, or keys that are selected, for a query"]
    for model in models:
        for name, found in in_order(model).items():
            rows += _runs(name, found)
            remarks.append(f"{name}: {in_words(found)}")
    return Picture("layers", "Layers in their order", COLUMNS, tuple(rows), tuple(remarks))


def _runs(name: str, found: Sequence[Layer]) -> Iterator[tuple[Cell, ...]]:
    first = 0
    for layer, run in groupby(found):
        count = len(list(run))
        yield (name, first, count, layer.mixing, "–" if layer.window is None else layer.window,
               layer.network, layer.parameters)
        first += count


def in_words(found: Sequence[Layer]) -> str:
    """How the kinds of layer follow each other.

    >>> from symparam.descriptions.load import load
    >>> (layers,) = in_order(load("gemma-3-1b")).values()
    >>> in_words(layers)
    '26 layers: 5 sliding window, 1 full attention, repeated'
    """
    kinds = [_kind(layer, found) for layer in found]
    cycle = cycle_of(kinds)
    if cycle is None:
        text = f"{len({*kinds})} kinds in no cycle"
    else:
        head, again = kinds[:cycle[0]], kinds[cycle[0]:sum(cycle)]
        pieces = [_counted(head)] if head else []
        text = f"{_counted(again)}, repeated" if len(again) > 1 else (
            f"{len(kinds) - len(head)} {again[0]}")
        text = "; then ".join([*pieces, text])
    return f"{len(found)} layers: {text}"


def _counted(kinds: Sequence[str]) -> str:
    return ", ".join(f"{len(list(run))} {kind}" for kind, run in groupby(kinds))


def _kind(layer: Layer, among: Sequence[Layer]) -> str:
    """A layer by what tells it from others of its model."""
    mixed = len({each.mixing for each in among}) > 1
    networks = len({each.network for each in among}) > 1
    words = [layer.mixing] * (mixed or not networks) + [layer.network] * networks
    return " and ".join(word for word in words if word != NONE)


def in_order(model: Model) -> dict[str, list[Layer]]:
    """The layers of a model from the first to the last; of an encoder and a decoder each its own.

    Raises:
        NotDerivable: which layer is of which kind is not known.
    """
    values = {**resolve(model, model.dims_at_work).values, **numbers(model).values}
    towers: dict[str, list[Stack]] = {}
    for stack in model.stacks:
        if stack.repeat is not None:
            towers.setdefault(stack.name.partition("[")[0], []).append(stack)
    if not towers or model.trace is not None:
        raise NotDerivable(f"{model.name} has no layers whose kinds are known")
    found = {}
    for tower, stacks in towers.items():
        name = model.name if len(towers) == 1 else f"{model.name} {tower}"
        found[name] = _tower(model, stacks, values)
    return found


def _tower(model: Model, stacks: Sequence[Stack], values: Mapping[str, int]) -> list[Layer]:
    """The layers of stacks that share numbers."""
    kinds, inside = _nested(model, stacks, values)
    described = _described(model, kinds, values)
    depth = sum(_applied(stack, values) for stack in kinds)
    if depth > MOST_LAYERS:
        raise NotDerivable(f"{model.name} has {depth:,} layers: too many to be drawn")
    order = described if len(described) == depth else _extended(described, depth)
    wanted = {(stack.name, bounded): count for stack in kinds
              for bounded, count in _counts(stack, values).items() if count}
    if {kind: order.count(kind) for kind in {*order}} != wanted:
        raise NotDerivable(f"{model.name}: which layer is of which kind is known for "
                           f"{len(described)} layers alone")
    made = {kind: _layer(model, [stack, *inside[stack.name]], kind[1], values)
            for stack in kinds for kind in wanted if kind[0] == stack.name}
    return [made[kind] for kind in order]


def _nested(model: Model, stacks: Sequence[Stack], values: Mapping[str, int]
            ) -> tuple[list[Stack], dict[str, list[Stack]]]:
    """The kinds of layer, and what of shared blocks stands inside each."""
    shortest = min((stack.prefix for stack in stacks), key=len)
    kinds = [stack for stack in stacks if stack.prefix == shortest]
    inside: dict[str, list[Stack]] = {stack.name: [] for stack in kinds}
    for stack in stacks:
        if stack in kinds:
            continue
        around = [each for each in kinds if _applied(each, values) == _applied(stack, values)]
        if len(around) != 1 or not stack.prefix.startswith(shortest):
            raise NotDerivable(f"{model.name}: in which layers {stack.name} stands is not known")
        inside[around[0].name].append(stack)
    return kinds, inside


def _applied(stack: Stack, values: Mapping[str, int]) -> int:
    return int(stack.repeat.index(values).applied) if stack.repeat else 1


def _described(model: Model, kinds: Sequence[Stack], values: Mapping[str, int]
               ) -> list[tuple[str, bool]]:
    """Of each layer of the model, as it was described, its stack and whether it has a window."""
    if len(kinds) == 1 and not kinds[0].numbers:
        marks = _marks(kinds[0])
        every = _window(kinds[0]) is not None
        return [(kinds[0].name, bounded) for bounded in marks] if marks else [
            (kinds[0].name, every)] * _applied(kinds[0], values)
    stack_of = {n: stack for stack in kinds for n in stack.numbers}
    if sorted(stack_of) != list(range(len(stack_of))) or not all(s.numbers for s in kinds):
        raise NotDerivable(f"{model.name}: how many layers are of a kind is known, and not which: "
                           "layers = [0, 1, 2] or { every = 4, from = 3 } says so")
    return [(stack.name, bool(_marks(stack)[n] if _marks(stack) else _window(stack)))
            for n, stack in sorted(stack_of.items())]


def _extended(described: list[tuple[str, bool]], depth: int) -> list[tuple[str, bool]]:
    """The same layers for another depth, where they go in a cycle."""
    cycle = cycle_of(described)
    if cycle is None:
        return described
    head, length = cycle
    return [described[n if n < head else head + (n - head) % length] for n in range(depth)]


def _window(stack: Stack) -> Slot | None:
    """What of a block a window bounds."""
    return next((slot for slot in stack.slots if slot.window is not None
                 and slot.component.slot in _ATTENTION), None)


def _marks(stack: Stack) -> tuple[bool, ...]:
    slot = _window(stack)
    return slot.window.marks if slot is not None and slot.window is not None else ()


def _counts(stack: Stack, values: Mapping[str, int]) -> dict[bool, int]:
    """How many layers of a stack have a window, and how many have not."""
    slot, every = _window(stack), _applied(stack, values)
    if slot is None or slot.window is None:
        return {False: every}
    from symparam import expression as ex

    some = slot.window.layers
    bounded = every if some is None else int(ex.evaluate(some, values))
    return {True: bounded, False: every - bounded}


def _layer(model: Model, stacks: Sequence[Stack], bounded: bool,
           values: Mapping[str, int]) -> Layer:
    """One kind of layer."""
    slots = [slot for stack in stacks for slot in stack.slots]
    names = {stack.name for stack in stacks}
    rows = [row for row in parameters.breakdown(model.ledger(values))
            if row.path.rpartition(".")[0] in names]
    sizes = [values[slot.window.size] for slot in slots if slot.window is not None
             and slot.component.slot in _ATTENTION and bounded]
    mixing = dict.fromkeys(each for slot in slots for each in _mixing(slot, bounded))
    network = dict.fromkeys(slot.component.title for slot in slots
                            if slot.component.slot == "ffn")
    return Layer(", ".join(mixing) or NONE, min(sizes, default=None), ", ".join(network) or NONE,
                 sum(int(row.per_copy) for row in rows))


def _mixing(slot: Slot, bounded: bool) -> Iterator[str]:
    """What a slot has to do with other tokens."""
    kind = slot.component.slot
    if kind in _ATTENTION:
        here = slot.window if bounded else None
        yield "full attention" if here is None else (
            "selected keys" if here.keeps else "sliding window")
    elif kind == "mixer":
        yield slot.component.title
    elif kind in _BESIDE:
        yield _BESIDE[kind]


