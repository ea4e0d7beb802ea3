"""A model: stacks of blocks, with what is known of its dims.

Nothing here counts; :meth:`Model.ledger` lists the matrices over any kind of number, and what a
model keeps and multiplies without a weight when it is asked for that too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING

from symparam import expression as ex
from symparam.constraints import Check, Compares, Equation
from symparam.dataclass import dataclass
from symparam.dims import Dim, Names, describe
from symparam.errors import MissingDims
from symparam.layout import Layout
from symparam.ledger import Ledger, Number
from symparam.renamed import moved
from symparam.sight import Picture, blind
from symparam.stack import Borrowed, Slot, Stack

if TYPE_CHECKING:
    from symparam.component import Component
    from symparam.traced.records import Trace

__getattr__ = moved(__name__)  # (``Repeat`` and ``Window`` are in symparam.stack)


#: Sides in pixels: a model that is wider sees no larger pictures.
_OF_PICTURES = frozenset({"d_patch", "d_image"})


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
            there, and what it computes may not be known.
        defaulted: keys that its configuration does not have, with the family's default for each.
        task: what its configuration is counted as (``causal``, ``base`` ...); empty without one.
        asked: what is said of dims that the configuration leaves to something else.
        unset: why it is not said what it multiplies and keeps; empty where it is.
        picture: how many positions a picture takes; None where nothing sees.
        where: the file that states it, where it is a description of somebody's own.
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
    unset: str = ""
    picture: Picture | None = None
    where: str = ""

    @cached_property
    def names(self) -> Names:
        """What the dims that may be given to it are called, with the name of each: its own dims
        and their aliases go before those that everybody knows."""
        aliases = {alias: dim.name for dim in reversed(self.own_dims) for alias in dim.aliases}
        own = (*self._own_names, *(dim.name for dim in self.own_dims))
        return Names(aliases | {name: name for name in own})

    @cached_property
    def own_dims(self) -> tuple[Dim, ...]:
        """The dims that are declared for it alone, those of a picture among them."""
        return (*self.declared, *(self.picture.dims if self.picture else ()))

    def describe(self, name: str) -> Dim:
        """The declaration of a dim: its own, or the one that everybody knows."""
        return next((dim for dim in self.own_dims if dim.name == name), None) or describe(name)

    def least(self, name: str) -> int:
        """The smallest number that a dim may have."""
        return 0 if name in self.zeros else 1

    @cached_property
    def dims(self) -> tuple[str, ...]:
        """The dims that it needs, each once."""
        return tuple(dict.fromkeys(d for stack in self.stacks for d in stack.dims()))

    @cached_property
    def dims_at_work(self) -> tuple[str, ...]:
        """The dims that it needs and those of its state, its products, its windows and of a
        picture."""
        further = (d for _, slot in self.slots() for d in slot.dims_at_work())
        pictured = self.picture.needed() if self.picture else ()
        return tuple(dict.fromkeys((*self.dims, *further, *pictured)))

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
        return self._used(lambda name: name.startswith("d_") and name not in _OF_PICTURES)

    @cached_property
    def ranks(self) -> frozenset[str]:
        """The dims that are ranks, which a projection passes between two widths."""
        return self._used(lambda name: name.endswith("rank"))

    def _used(self, fits: Callable[[str], bool]) -> frozenset[str]:
        return frozenset(slot.bound.get(name, name) for _, slot in self.slots()
                         for name in slot.component.used if fits(name))

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """The parts that it is made of, where its stacks say so: ``text``, ``vision`` ..."""
        return tuple(dict.fromkeys(stack.part for stack in self.stacks if stack.part))

    @cached_property
    def beside(self) -> str:
        """What is said of parts that a sequence of tokens does not go through; empty without."""
        found = dict.fromkeys(stack.part for stack in self.stacks if stack.idle)
        verb = "is" if len(found) == 1 else "are"
        return (f"{' and '.join(found)} {verb} not counted: no token of a sequence goes through"
                ) if found else ""

    @cached_property
    def encodes(self) -> bool:
        """Whether it has an encoder, or reads what one made; what is idle does not count."""
        return any(stack.stream == "encoder" for stack in self.stacks if not stack.idle) or any(
            slot.component.reads_encoder for stack, slot in self.slots() if not stack.idle)

    def slots(self) -> Iterator[tuple[Stack, Slot]]:
        """All places with what stands there."""
        return ((stack, slot) for stack in self.stacks for slot in stack.slots)

    @cached_property
    def standing(self) -> Mapping[str, tuple[Component, ...]]:
        """What stands at each place of a stack: a block's norms together at ``layers.norms``."""
        found: dict[str, list[Component]] = {}
        for stack, slot in self.slots():
            place = f"{stack.name}.{slot.path.partition('.')[0]}"
            found.setdefault(place, []).append(slot.component)
        return {place: tuple(components) for place, components in found.items()}

    def all_equations(self) -> tuple[Equation, ...]:
        """The model's own rules, then those of its components, each once."""
        return self._all_equations

    @cached_property
    def _all_equations(self) -> tuple[Equation, ...]:
        found = [*self.equations, *(self.picture.equations if self.picture else ())]
        for _, slot in self.slots():
            own = (eq.renamed(slot.bound) for eq in slot.component.equations)
            found += [eq for eq in own if eq.expr != ex.Sym(eq.dim)]  # (two dims bound to one)
        return tuple(dict.fromkeys(found))

    def all_checks(self) -> tuple[Check, ...]:
        """The checks of the model and of its components, each once."""
        found = [*self.checks]
        for _, slot in self.slots():
            found += [check.renamed(slot.bound) for check in slot.component.checks]
        borrowed = Borrowed.find(self.stacks)
        if borrowed is not None and borrowed.made:
            found.append(Compares(ex.Num(0), "<", ex.sum_of(*borrowed.made), "some layer makes the "
                                  f"keys and values that those with {borrowed.by} use"))
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
        matrices = tuple([m for stack in self.stacks for m in stack.matrices(values)])
        unset = self._unset(values, at_work)
        if not at_work or unset:
            return Ledger(matrices, unset=unset, untold=self._untold,
                          untraced=unset if self.trace is not None else "")
        return Ledger(matrices, tuple(s for stack in self.stacks for s in stack.states(values)),
                      tuple(p for stack in self.stacks for p in stack.products(values)),
                      untold=self._untold, blind=blind(self), pictures=tuple(
                          self.picture.positions(self.stacks, values) if self.picture else ()))

    def _unset(self, values: Mapping[str, Number], at_work: bool) -> str:
        """Why nobody knows what it does with its weights at some numbers; empty where it is
        known."""
        if self.trace is None:
            return f"{self.name} {self.unset}" if self.unset and at_work else ""
        from symparam.traced.known import beyond

        unset, checks = self._found_at_work(self.trace)
        unset = unset or beyond(checks, values)
        return f"{self.name} {unset}" if unset else ""

    def _found_at_work(self, trace: Trace) -> tuple[str, tuple[Check, ...]]:
        """Why it is not known what a traced model does with its weights, and where it holds."""
        found: tuple[str, tuple[Check, ...]] | None = self.__dict__.get("_at_work")
        if found is None:
            from symparam.traced.known import checks_of, unset

            found = unset(trace, ((stack.prefix, slot.component) for stack, slot in self.slots())
                          ), checks_of(trace)
            self.__dict__["_at_work"] = found
        return found


def names_of(models: Iterable[Model]) -> Names:
    """What the dims of several models are called; where two differ, as the first has it."""
    return Names((name, dim) for model in reversed(tuple(models))
                 for name, dim in model.names.items())
