"""Composition: slots make a block, blocks repeated make a stack. Nothing here counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property
from itertools import islice
from typing import NamedTuple, TypeVar

from symparam import expression as ex
from symparam.component import Component
from symparam.dataclass import dataclass
from symparam.ledger import Index, Matrix, Number, Product, State, Stream

_W = TypeVar("_W", State, Product)


@dataclass(frozen=True)
class Order:
    """Layers with a number each: from ``start`` in steps of ``step``; or all but these.

    >>> Order(ex.Num(1), ex.Num(2)).first(3, {}), Order(ex.Num(1), ex.Num(2), True).first(3, {})
    ((1, 3, 5), (0, 2, 4))
    """

    start: ex.Expr = ex.Num(0)
    step: ex.Expr = ex.Num(1)
    others: bool = False

    def first(self, count: int, values: Mapping[str, int]) -> tuple[int, ...]:
        """As many numbers, where dims have these values; fewer where no others are left."""
        start, step = (int(ex.evaluate(side, values)) for side in (self.start, self.step))
        inside = (start + i * step for i in range(count))
        if not self.others:
            return tuple(inside)
        if step == 1:
            return tuple(range(min(count, start)))
        left = (n for n in range((count + start) * 2 + 2) if n < start or (n - start) % step)
        return tuple(islice(left, count))


@dataclass(frozen=True)
class Window:
    """A bound on the keys that a query sees, in some layers of a stack or in all of them.

    It changes no weight. A sliding window drops what is outside it from the cache too.

    Attributes:
        size: the dim that says how many tokens.
        layers: how many layers of the stack; None when it is all of them.
        keeps: whether what is outside is still kept: a selection of keys changes with the query.
        marks: where some layers have it, for each layer of the model, as it was described,
            whether it is one of them.
    """

    size: str
    layers: ex.Expr | None = None
    keeps: bool = False
    marks: tuple[bool, ...] = ()

    def bounds(self, entry: State | Product) -> bool:
        """Whether it bounds an entry: keys that are kept, and products over them."""
        if isinstance(entry, State):
            return entry.stream == "token" and not self.keeps
        return entry.over == "keys"


@dataclass(frozen=True)
class Slot:
    """A component in its place.

    Attributes:
        path: the place in the block: ``attention``, ``norms.ffn``.
        component: what stands there.
        prefix: what its tensor names begin with; the component's own prefix when None.
        bound: dims that it takes under other names (``{"d_ff": "d_dense"}``).
        window: what bounds the keys that an attention sees, if anything does.
    """

    path: str
    component: Component
    prefix: str | None = None
    bound: Mapping[str, str] = field(default_factory=dict)
    window: Window | None = None

    @property
    def tensor_prefix(self) -> str:
        """What its tensor names begin with, inside the block."""
        return self.component.prefix if self.prefix is None else self.prefix

    @cached_property
    def dims(self) -> tuple[str, ...]:
        """The dims that it needs, by their names in the model."""
        return tuple(self.bound.get(name, name) for name in self.component.used)

    def dims_at_work(self) -> Iterator[str]:
        """The dims that its state, its products and its window need, by their names there."""
        yield from (self.bound.get(name, name) for name in self.component.used_at_work)
        if self.window is not None:
            yield self.window.size
            yield from ex.symbols_in(self.window.layers) if self.window.layers is not None else ()


@dataclass(frozen=True)
class Repeat:
    """Over what a block is repeated, and how often, as expressions in dims.

    A shared layer (ALBERT) is stored once and applied L times.
    """

    stored: ex.Expr
    applied: ex.Expr
    active: ex.Expr

    @classmethod
    def times(cls, count: ex.Expr) -> Repeat:
        """As many stored as applied."""
        return cls(count, count, count)

    def index(self, values: Mapping[str, Number]) -> Index:
        """The index over a namespace of dims."""
        return Index("layer", *(ex.evaluate(e, values)
                                for e in (self.stored, self.applied, self.active)))


@dataclass(frozen=True)
class Stack:
    """A block, repeated or standing once.

    Attributes:
        name: ``embedding``, ``layers``, ``layers[dense]``, ``head``: unique in the model.
        slots: the block.
        repeat: over what it is repeated; None when it stands once.
        prefix: what its tensor names begin with, the layer number written ``*``.
        numbers: the layer numbers, where they are not 0, 1, 2 ...
        places: the numbers in the names of each copy, where a name has several of them.
        order: which numbers layers have whose ``numbers`` are not stated, at any count of them;
            None where it is not known.
        inner: how many copies are in a group, where names have the group and the place in it.
        stream: what the block is applied to, where it is not each token.
        causal: whether a token sees itself and what is before it alone; an encoder's see all.
        part: of a model that is made of several, the one that it belongs to: ``text``, ``vision``.
        idle: whether a sequence of tokens does not go through it: what sees pictures, or hears.
    """

    name: str
    slots: tuple[Slot, ...]
    repeat: Repeat | None = None
    prefix: str = ""
    numbers: tuple[int, ...] = ()
    places: tuple[tuple[int, ...], ...] = ()
    order: Order | None = Order()
    inner: int = 0
    stream: Stream | None = None
    causal: bool = True
    part: str = ""
    idle: bool = False

    def matrices(self, values: Mapping[str, Number]) -> Iterator[Matrix]:
        """The block's matrices with their full paths."""
        index = self.repeat.index(values) if self.repeat else None
        for slot in self.slots:
            component, place = slot.component, f"{self.name}.{slot.path}"
            for matrix in component.list_matrices(values, slot.bound):
                matrix = replace(matrix, times=0, stream="token") if self.idle else matrix
                yield matrix.under(place, index, component.slot, self.prefix + slot.tensor_prefix,
                                   component.names[matrix.path],
                                   None if self.idle else self.stream)

    def states(self, values: Mapping[str, Number]) -> Iterator[State]:
        """What the block keeps of the past, with full paths; nothing where it sees all at once."""
        keeps = self.causal and self.stream is None and not self.idle
        for slot in self.slots if keeps else ():
            for state in slot.component.list_state(values, slot.bound):
                yield from self._placed(state, slot, values)

    def products(self, values: Mapping[str, Number]) -> Iterator[Product]:
        """The block's products without a weight, with full paths."""
        for slot in () if self.idle else self.slots:
            for product in slot.component.list_products(values, slot.bound):
                seen = replace(product, causal=self.causal and self.stream is None,
                               stream=self.stream or product.stream)
                yield from self._placed(seen, slot, values)

    def _placed(self, entry: _W, slot: Slot, values: Mapping[str, Number]) -> Iterator[_W]:
        """An entry in its place; where some layers have a window, once for these and once for
        the others."""
        path, window = f"{self.name}.{slot.path}.{entry.path}", slot.window
        entry = replace(entry, path=path, part=slot.component.slot)
        if window is None or not window.bounds(entry):
            yield _repeated(entry, self.repeat, values)
            return
        bounded = replace(entry, window=values[window.size])
        if window.layers is None or self.repeat is None:
            yield _repeated(bounded, self.repeat, values)
            return
        others = Repeat.times(self.repeat.applied - window.layers)
        yield _repeated(entry, others, values)
        yield _repeated(replace(bounded, path=f"{path}[{window.size}]"),
                        Repeat.times(window.layers), values)

    def dims(self) -> Iterator[str]:
        """The dims that it needs."""
        if self.repeat:
            for extent in (self.repeat.stored, self.repeat.applied, self.repeat.active):
                yield from ex.symbols_in(extent)
        for slot in self.slots:
            yield from slot.dims


def _repeated(entry: _W, repeat: Repeat | None, values: Mapping[str, Number]) -> _W:
    """An entry that stands in so many layers."""
    if repeat is None:
        return entry
    return replace(entry, indices=(repeat.index(values), *entry.indices))


class Borrowed(NamedTuple):
    """Keys and values of other layers that some layers look at.

    Attributes:
        by: the name of their attention.
        made: how many layers there are of each kind that makes keys; nothing where none does.
    """

    by: str
    made: tuple[ex.Expr, ...]

    @classmethod
    def find(cls, stacks: Iterable[Stack]) -> Borrowed | None:
        """What layers look at of others; None where each makes its own. What is idle has its own
        layers to look at, and is not looked at here."""
        found = [(stack, slot.component) for stack in stacks if not stack.idle
                 for slot in stack.slots if slot.component.slot == "attention"]
        by = [component.name for _, component in found if component.borrows]
        return cls(by[0], tuple(
            stack.repeat.stored if stack.repeat else ex.Num(1) for stack, component in found
            if not component.borrows)) if by else None


def counts_of_kinds(stacks: Iterable[Stack]) -> frozenset[str]:
    """The dims that count the layers of a kind and nothing else; none where all are of one kind.
    There may be none of a kind: one full-attention layer in four are none of the first three."""
    counts = [stack.repeat.stored for stack in stacks if stack.repeat is not None]
    return frozenset(each.name for each in counts if isinstance(each, ex.Sym)) if (
        len(counts) > 1) else frozenset()
