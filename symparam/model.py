"""Composition: slots make a block, blocks repeated make stacks, stacks make a model.

Nothing here counts; :meth:`Model.ledger` lists the matrices over any kind of number, and what a
model keeps and multiplies without a weight when it is asked for that too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from symparam import expression as ex
from symparam.component import Component
from symparam.constraints import Check, Equation
from symparam.dataclass import dataclass
from symparam.dims import Dim, Names, describe
from symparam.errors import MissingDims
from symparam.layout import Layout
from symparam.ledger import Index, Ledger, Matrix, Number, Product, State, Stream

if TYPE_CHECKING:
    from symparam.traced.records import Trace

_W = TypeVar("_W", State, Product)


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

    @property
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
        inner: how many copies are in a group, where names have the group and the place in it.
        stream: what the block is applied to, where it is not each token.
        causal: whether a token sees itself and what is before it alone; an encoder's see all.
    """

    name: str
    slots: tuple[Slot, ...]
    repeat: Repeat | None = None
    prefix: str = ""
    numbers: tuple[int, ...] = ()
    places: tuple[tuple[int, ...], ...] = ()
    inner: int = 0
    stream: Stream | None = None
    causal: bool = True

    def matrices(self, values: Mapping[str, Number]) -> Iterator[Matrix]:
        """The block's matrices with their full paths."""
        index = self.repeat.index(values) if self.repeat else None
        for slot in self.slots:
            component, place = slot.component, f"{self.name}.{slot.path}"
            for matrix in component.list_matrices(values, slot.bound):
                yield matrix.under(place, index, component.slot, self.prefix + slot.tensor_prefix,
                                   component.names[matrix.path], self.stream)

    def states(self, values: Mapping[str, Number]) -> Iterator[State]:
        """What the block keeps of the past, with full paths; nothing where it sees all at once."""
        for slot in self.slots if self.causal and self.stream is None else ():
            for state in slot.component.list_state(values, slot.bound):
                yield from self._placed(state, slot, values)

    def products(self, values: Mapping[str, Number]) -> Iterator[Product]:
        """The block's products without a weight, with full paths."""
        for slot in self.slots:
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


@dataclass(frozen=True)
class Asked:
    """A dim that a configuration leaves to something else, a vocabulary to its tokenizer.

    Attributes:
        dim: the dim.
        said: what is said while nobody gives it; empty where it has a number.
        step: what the framework rounds it up to a multiple of.
        by: the framework.

    >>> Asked("V", "", 128, "X").given(50257)
    'rows that pad V = 50257, taken as given, to a multiple of 128 as X does: V=50304 counts them'
    """

    dim: str
    said: str
    step: int = 1
    by: str = ""

    def given(self, value: int) -> str:
        """What is said of a number that was given; empty where it is such a multiple."""
        more = -value % self.step
        return (f"rows that pad {self.dim} = {value}, taken as given, to a multiple of "
                f"{self.step} as {self.by} does: {self.dim}={value + more} counts them"
                ) if more else ""


@dataclass(frozen=True)
class Model:
    """An architecture, with numbers for its dims where it has them.

    Attributes:
        name: as the user knows it.
        stacks: what it is made of, in the order in which a token meets it.
        values: numbers of dims that were given (none for an architecture from options).
        equations: rules for dims that belong to this model rather than to a component.
        checks: relations of this model that numbers must meet.
        layout: how a checkpoint names and joins its matrices.
        source, claim, note: where it is published, the size that its source prints, a remark.
        part: what of a larger model is counted (``text``, ``encoder with pooler``).
        left_out: what its configuration has and the count has not, a phrase each.
        notation: how its dims are written unless somebody asks otherwise.
        declared: dims of this model alone, whatever other models call by their names.
        zeros: dims that may be 0: what there is none of then is not there.
        trace: what it was found by, where nobody stated it; its rows hold under the assumptions
            there, and what it computes is not known.
        defaulted: keys that its configuration does not have, with the family's default for each.
        task: what its configuration is counted as (``causal``, ``base`` ...); empty without one.
        asked: what is said of dims that the configuration leaves to something else.
    """

    name: str
    stacks: tuple[Stack, ...]
    values: Mapping[str, int] = field(default_factory=dict)
    equations: tuple[Equation, ...] = ()
    checks: tuple[Check, ...] = ()
    layout: Layout = field(default_factory=Layout)
    source: str = ""
    claim: str = ""
    note: str = ""
    part: str = "all"
    left_out: tuple[str, ...] = ()
    defaulted: tuple[str, ...] = ()
    task: str = ""
    notation: str = "paper"
    declared: tuple[Dim, ...] = ()
    zeros: frozenset[str] = frozenset()
    trace: Trace | None = None
    asked: tuple[Asked, ...] = ()

    @cached_property
    def names(self) -> Names:
        """What the dims that may be given to it are called, with the name of each: its own dims
        and their aliases go before those that everybody knows."""
        aliases = {alias: dim.name for dim in reversed(self.declared) for alias in dim.aliases}
        own = (*self._own_names, *(dim.name for dim in self.declared))
        return Names(aliases | {name: name for name in own})

    def describe(self, name: str) -> Dim:
        """The declaration of a dim: its own, or the one that everybody knows."""
        return next((dim for dim in self.declared if dim.name == name), None) or describe(name)

    def least(self, name: str) -> int:
        """The smallest number that a dim may have."""
        return 0 if name in self.zeros else 1

    @cached_property
    def dims(self) -> tuple[str, ...]:
        """The dims that it needs, each once."""
        return tuple(dict.fromkeys(d for stack in self.stacks for d in stack.dims()))

    @cached_property
    def dims_at_work(self) -> tuple[str, ...]:
        """The dims that it needs and those of its state, its products and its windows."""
        further = (d for _, slot in self.slots() for d in slot.dims_at_work())
        return tuple(dict.fromkeys((*self.dims, *further)))

    @cached_property
    def _own_names(self) -> tuple[str, ...]:
        """The dims that its weights and its work need, and what the rules for these start from."""
        found, more = dict[str, None](), dict.fromkeys(self.dims_at_work)
        while more:
            found |= more
            more = {name: None for eq in self.all_equations() if eq.dim in found
                    for name in eq.inputs if name not in found}
        return tuple(found)

    @cached_property
    def _untold(self) -> str:
        if self.trace is None:
            return ""
        from symparam.traced.tables import tables_of

        return tables_of(self.trace.rows).untold

    @cached_property
    def widths(self) -> frozenset[str]:
        """The dims that are widths: by the names that components have for them, not the model's."""
        return frozenset(slot.bound.get(name, name) for _, slot in self.slots()
                         for name in slot.component.used if name.startswith("d_"))

    @cached_property
    def encodes(self) -> bool:
        """Whether it has an encoder, or reads what one made."""
        return any(stack.stream == "encoder" for stack in self.stacks) or any(
            slot.component.slot == "cross-attention" for _, slot in self.slots())

    def slots(self) -> Iterator[tuple[Stack, Slot]]:
        """All places with what stands there."""
        return ((stack, slot) for stack in self.stacks for slot in stack.slots)

    def all_equations(self) -> tuple[Equation, ...]:
        """The model's own rules, then those of its components, each once."""
        return self._all_equations

    @cached_property
    def _all_equations(self) -> tuple[Equation, ...]:
        found = [*self.equations]
        for _, slot in self.slots():
            found += [eq.renamed(slot.bound) for eq in slot.component.equations]
        return tuple(dict.fromkeys(found))

    def all_checks(self) -> tuple[Check, ...]:
        """The checks of the model and of its components, each once."""
        found = [*self.checks]
        for _, slot in self.slots():
            found += [check.renamed(slot.bound) for check in slot.component.checks]
        return tuple(dict.fromkeys(found))

    def ledger(self, values: Mapping[str, Number], *, at_work: bool = False) -> Ledger:
        """The matrices over a namespace of dims: integers, symbols, arrays, trees.

        Args:
            values: a number for each dim.
            at_work: whether to list states and products too, which may need further dims.

        Raises:
            MissingDims: a dim has no value there.
        """
        missing = [name for name in (self.dims_at_work if at_work else self.dims)
                   if name not in values]
        if missing:
            raise MissingDims(missing, self.name)
        matrices = tuple(m for stack in self.stacks for m in stack.matrices(values))
        if self.trace is not None:
            return Ledger(matrices, unset=f"{self.name} was traced from its weights",
                          untold=self._untold)
        if not at_work:
            return Ledger(matrices)
        return Ledger(matrices, tuple(s for stack in self.stacks for s in stack.states(values)),
                      tuple(p for stack in self.stacks for p in stack.products(values)))


def counts_of_kinds(stacks: Iterable[Stack]) -> frozenset[str]:
    """The dims that count the layers of a kind and nothing else; none where all are of one kind.
    There may be none of a kind: one full-attention layer in four are none of the first three."""
    counts = [stack.repeat.stored for stack in stacks if stack.repeat is not None]
    return frozenset(each.name for each in counts if isinstance(each, ex.Sym)) if (
        len(counts) > 1) else frozenset()


def names_of(models: Iterable[Model]) -> Names:
    """What the dims of several models are called; where two differ, as the first has it."""
    return Names((name, dim) for model in reversed(tuple(models))
                 for name, dim in model.names.items())
