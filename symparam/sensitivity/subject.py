"""What is looked at: quantities of a model in symbols, its numbers, its dims and conventions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property

from symparam import expression as ex
from symparam.constraints import Sums
from symparam.dataclass import dataclass
from symparam.dims import D_MODEL, TOTAL, canonical, order_key
from symparam.errors import BadValue
from symparam.model import Model
from symparam.quantities import find
from symparam.quantities.counts import has_experts
from symparam.quantities.quantity import Quantity
from symparam.quantities.setting import Setting
from symparam.resolve import Resolution, resolve
from symparam.run import RUN
from symparam.sensitivity.amount import Amount
from symparam.sensitivity.held import KEPT, Held
from symparam.sensitivity.points import Place
from symparam.sensitivity.ratios import Conventions
from symparam.symbols import symbol


@dataclass(frozen=True)
class Subject:
    """A quantity of a model, and what its derivatives are made from.

    Attributes:
        model, quantity: what is looked at.
        setting: formats, ratios and ways to count.
        assume: relations for where ratios are kept, as text.
    """

    model: Model
    quantity: Quantity
    setting: Setting = field(default_factory=Setting)
    assume: tuple[str, ...] = ()

    @cached_property
    def amounts(self) -> tuple[Amount, ...]:
        """The quantity; beside the number of parameters that of active ones, in a mixture."""
        first = Amount.of(self.model, self.quantity, self.setting)
        if self.quantity.name != TOTAL.name or not has_experts(first.wanted.trees.ledger):
            return (first,)
        return first, Amount.of(self.model, find("active"), self.setting)

    @property
    def untold(self) -> str:
        """Why nobody knows which matrices are embeddings; empty where it is known."""
        return self.amount.wanted.trees.ledger.untold

    @property
    def amount(self) -> Amount:
        """The quantity itself."""
        return self.amounts[0]

    @property
    def of_parameters(self) -> bool:
        """Whether it is the number of parameters itself."""
        return self.quantity.name == TOTAL.name

    @cached_property
    def resolution(self) -> Resolution:
        """The model's numbers, as far as it has them, those of the run among them."""
        found = self.amount.wanted.resolution
        values = {name: value for name, value in found.values.items() if name != TOTAL.name}
        return replace(resolve(self.model), values=values, missing=found.missing)

    def numbers(self) -> Mapping[str, int] | None:
        """Numbers for all that it depends on; None while some have none."""
        return self.amount.here

    # --- dims ---------------------------------------------------------------------------------

    @cached_property
    def conventions(self) -> Conventions:
        """What may be held fixed."""
        names = {s.name for amount in self.amounts for s in amount.expr.free_symbols}
        return Conventions(self.model, self.resolution, frozenset(names), self.assume)

    @property
    def present(self) -> frozenset[str]:
        """The symbols of its formulas."""
        return self.conventions.present

    @property
    def run(self) -> list[str]:
        """What the model is run with, as far as the quantity depends on it."""
        return [name for name in RUN if name in self.present]

    @cached_property
    def names(self) -> list[str]:
        """The dims that stay or change: of the number of parameters all that the model has, else
        those of its formula and what these follow."""
        return list(self.model.dims) if self.of_parameters else sorted(
            {*self.present, *self._inputs}, key=order_key)

    @cached_property
    def _held(self) -> dict[str, list[Held]]:
        return {}

    def held(self, name: str) -> list[Held]:
        """The conventions for one dim.

        Raises:
            NotDerivable: an assumption that the numbers are far from.
        """
        if name not in self._held:
            self._held[name] = self.conventions.of(name)
        return self._held[name]

    @cached_property
    def depths(self) -> list[str]:
        """The dims that count layers: first the number of all where there are kinds of them."""
        whole = [check.whole for check in self._sums]
        repeats = [stack.repeat for stack in self.model.stacks if stack.repeat]
        names = [name for repeat in repeats for extent in (repeat.stored, repeat.applied)
                 for name in ex.symbols_in(extent)]
        return list(dict.fromkeys([*whole, *names]))

    @property
    def _sums(self) -> list[Sums]:
        return [check for check in self.model.all_checks() if isinstance(check, Sums)]

    def free_depths(self) -> Iterator[str]:
        """The dims that say how deep a model is: those that neither add up nor follow."""
        parts = {part for check in self._sums for part in check.parts}
        for name in self.depths:
            if name not in parts and name not in self.resolution.rules:
                yield name

    def shared(self) -> Iterator[tuple[str, int | None]]:
        """Numbers of layers that are applied so often and stored once, with their number."""
        for stack in self.model.stacks:
            if stack.repeat and not ex.symbols_in(stack.repeat.stored):
                for name in ex.symbols_in(stack.repeat.applied):
                    if name not in self.present:
                        yield name, self.resolution.values.get(name)

    @cached_property
    def reachable(self) -> list[str]:
        """The dims that there are derivatives by: of its formulas, and what its rules start from;
        of the number of parameters all of the model, those that change nothing among them."""
        whole = self.depths if self.of_parameters else [
            check.whole for check in self._sums if self.present.intersection(check.parts)]
        return sorted({*self.names, *whole, *self._inputs}, key=order_key)

    @property
    def _inputs(self) -> set[str]:
        """What its dims follow by rule."""
        return {name for eq in self.resolution.rules.values()
                if self.of_parameters or eq.dim in self.present for name in eq.inputs}

    @cached_property
    def width(self) -> str | None:
        """The model's own main width: d_model; where it has none, the side of most matrices."""
        if D_MODEL.name in self.reachable:
            return D_MODEL.name
        sides = Counter(name for matrix in self.amount.wanted.trees.ledger.stored()
                        for side in matrix.shape for name in ex.symbols_in(side)
                        if name in self.reachable)
        ranked = sorted(set(sides) - set(self.depths), key=lambda n: (-sides[n], order_key(n)))
        return ranked[0] if ranked else None

    def known(self, name: str) -> str:
        """A dim of the model by its name or an alias of it.

        Raises:
            BadValue: the quantity does not depend on it.
        """
        found = canonical(name, self.model.names)
        if found not in self.reachable:
            of = f"{self.quantity.name} of {self.model.name}"
            raise BadValue("wrt", name, f"{of} does not depend on it; it depends on "
                           f"{' '.join(self.reachable)}")
        return found

    # --- places -------------------------------------------------------------------------------

    def place(self, held: Held) -> Place | None:
        """The model's numbers, to be moved under a convention; None where it has not all."""
        values = self.numbers()
        if values is None:
            return None
        any_split = held.name == KEPT and "d_head" in held.dims and (
            not {held.wrt} & {"n_heads", "n_kv"}) and self._without_heads(held)
        return Place(self.model, values, held, any_split)

    def _without_heads(self, held: Held) -> bool:
        """Whether the quantities depend on heads through n_heads·d_head alone."""
        heads = {symbol(name) for name in ("n_heads", "n_kv", "d_head")}
        return not any(heads & held.applied(a.expr).free_symbols for a in self.amounts)
