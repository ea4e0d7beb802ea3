"""Composition: slots make a block, blocks repeated make stacks, stacks make a model.

Nothing here counts; :meth:`Model.ledger` lists the matrices over any kind of number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from symparam import expression as ex
from symparam.component import Component
from symparam.constraints import Check, Equation
from symparam.errors import MissingDims
from symparam.layout import Layout
from symparam.ledger import Index, Ledger, Matrix, Number, Stream


@dataclass(frozen=True)
class Slot:
    """A component in its place.

    Attributes:
        path: the place in the block: ``attention``, ``norms.ffn``.
        component: what stands there.
        prefix: what its tensor names begin with; the component's own prefix when None.
        bound: dims that it takes under other names (``{"d_ff": "d_dense"}``).
    """

    path: str
    component: Component
    prefix: str | None = None
    bound: Mapping[str, str] = field(default_factory=dict)

    @property
    def tensor_prefix(self) -> str:
        """What its tensor names begin with, inside the block."""
        return self.component.prefix if self.prefix is None else self.prefix

    @property
    def dims(self) -> tuple[str, ...]:
        """The dims that it needs, by their names in the model."""
        return tuple(self.bound.get(name, name) for name in self.component.used)


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
        stream: what the block is applied to, where it is not each token.
    """

    name: str
    slots: tuple[Slot, ...]
    repeat: Repeat | None = None
    prefix: str = ""
    numbers: tuple[int, ...] = ()
    stream: Stream | None = None

    def matrices(self, values: Mapping[str, Number]) -> Iterator[Matrix]:
        """The block's matrices with their full paths."""
        index = self.repeat.index(values) if self.repeat else None
        for slot in self.slots:
            component, place = slot.component, f"{self.name}.{slot.path}"
            for matrix in component.list_matrices(values, slot.bound):
                yield matrix.under(place, index, component.slot, self.prefix + slot.tensor_prefix,
                                   component.names[matrix.path], self.stream)

    def dims(self) -> Iterator[str]:
        """The dims that it needs."""
        if self.repeat:
            for extent in (self.repeat.stored, self.repeat.applied, self.repeat.active):
                yield from ex.symbols_in(extent)
        for slot in self.slots:
            yield from slot.dims


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
        defaulted: keys that its configuration does not have, with the family's default for each.
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
    notation: str = "paper"

    @cached_property
    def dims(self) -> tuple[str, ...]:
        """The dims that it needs, each once."""
        return tuple(dict.fromkeys(d for stack in self.stacks for d in stack.dims()))

    @cached_property
    def widths(self) -> frozenset[str]:
        """The dims that are widths: by the names that components have for them, not the model's."""
        return frozenset(slot.bound.get(name, name) for _, slot in self.slots()
                         for name in slot.component.used if name.startswith("d_"))

    def slots(self) -> Iterator[tuple[Stack, Slot]]:
        """All places with what stands there."""
        return ((stack, slot) for stack in self.stacks for slot in stack.slots)

    def all_equations(self) -> tuple[Equation, ...]:
        """The model's own rules, then those of its components, each once."""
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

    def ledger(self, values: Mapping[str, Number]) -> Ledger:
        """The matrices over a namespace of dims: integers, symbols, arrays, trees.

        Raises:
            MissingDims: a dim has no value there.
        """
        missing = [name for name in self.dims if name not in values]
        if missing:
            raise MissingDims(missing, self.name)
        return Ledger(tuple(m for stack in self.stacks for m in stack.matrices(values)))
