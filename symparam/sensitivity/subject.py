"""What is looked at: a model's counts in symbols, its numbers, its dims and their conventions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from symparam import expression as ex
from symparam.constraints import Sums
from symparam.count import symbolic_ledger
from symparam.dataclass import dataclass
from symparam.dims import canonical, order_key
from symparam.errors import BadValue
from symparam.ledger import Extent, Ledger
from symparam.model import Model
from symparam.quantities.counts import has_experts, is_embedding
from symparam.resolve import Resolution, resolve
from symparam.sensitivity.held import KEPT, Held
from symparam.sensitivity.points import Place
from symparam.sensitivity.ratios import Conventions
from symparam.symbols import SymExpr, exact, symbol

TOTAL, ACTIVE = "total", "active"
_EXTENTS: dict[str, Extent] = {TOTAL: "stored", ACTIVE: "active"}


@dataclass(frozen=True)
class Subject:
    """A model, and what its derivatives are made from.

    Attributes:
        model: the model.
        assume: relations for where ratios are kept, as text.
    """

    model: Model
    assume: tuple[str, ...] = ()

    @cached_property
    def resolution(self) -> Resolution:
        """The model's numbers, as far as it has them."""
        return resolve(self.model)

    @property
    def numbered(self) -> bool:
        """Whether all dims have numbers."""
        return not self.resolution.missing

    def numbers(self) -> Mapping[str, int] | None:
        """The model's numbers; None while a dim has none."""
        return self.resolution.values if self.numbered else None

    @cached_property
    def _ledger(self) -> Ledger:
        return symbolic_ledger(self.model)

    @cached_property
    def counts(self) -> dict[str, SymExpr]:
        """The counts in symbols: the total, and for a mixture the active one."""
        names = [TOTAL, *([ACTIVE] if has_experts(self._ledger) else [])]
        return {name: exact(self._ledger.total(extent=_EXTENTS[name])).expand() for name in names}

    @cached_property
    def embeddings(self) -> SymExpr:
        """The parameters of token embedding and head, in symbols."""
        return exact(self._ledger.total(is_embedding)).expand()

    @staticmethod
    def measure(name: str, ledger: Ledger) -> int:
        """A count over whole numbers."""
        return int(ledger.total(extent=_EXTENTS[name]))

    def value(self, name: str) -> int | None:
        """A count at the model's numbers; None while a dim has none."""
        if not self.numbered:
            return None
        return self.measure(name, self.model.ledger(self.resolution.values))

    # --- dims ---------------------------------------------------------------------------------

    @cached_property
    def conventions(self) -> Conventions:
        """What may be held fixed."""
        names = {s.name for count in self.counts.values() for s in count.free_symbols}
        return Conventions(self.model, self.resolution, frozenset(names), self.assume)

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
        whole = [check.whole for check in self.model.all_checks() if isinstance(check, Sums)]
        repeats = [stack.repeat for stack in self.model.stacks if stack.repeat]
        names = [name for repeat in repeats for extent in (repeat.stored, repeat.applied)
                 for name in ex.symbols_in(extent)]
        return list(dict.fromkeys([*whole, *names]))

    def free_depths(self) -> Iterator[str]:
        """The dims that say how deep a model is: those that neither add up nor follow."""
        sums = [check for check in self.model.all_checks() if isinstance(check, Sums)]
        parts = {part for check in sums for part in check.parts}
        for name in self.depths:
            if name not in parts and name not in self.resolution.rules:
                yield name

    def shared(self) -> Iterator[tuple[str, int | None]]:
        """Numbers of layers that are applied so often and stored once, with their number."""
        for stack in self.model.stacks:
            if stack.repeat and not ex.symbols_in(stack.repeat.stored):
                for name in ex.symbols_in(stack.repeat.applied):
                    if name not in self.conventions.present:
                        yield name, self.resolution.values.get(name)

    def reachable(self) -> list[str]:
        """The dims that there are derivatives by: of the model, and what its rules start from."""
        rules = self.resolution.rules.values()
        names = {*self.model.dims, *self.depths, *(name for eq in rules for name in eq.inputs)}
        return sorted(names, key=order_key)

    def known(self, name: str) -> str:
        """A dim of the model by its name or an alias of it.

        Raises:
            BadValue: the model does not have it.
        """
        reachable = self.reachable()
        found = canonical(name, reachable)
        if found not in reachable:
            raise BadValue("wrt", name, f"{self.model.name} has no such dim; it has "
                           f"{' '.join(reachable)}")
        return found

    # --- places -------------------------------------------------------------------------------

    def place(self, held: Held) -> Place | None:
        """The model's numbers, to be moved under a convention; None where it has not all."""
        if not self.numbered:
            return None
        any_split = held.name == KEPT and "d_head" in held.dims and (
            not {held.wrt} & {"n_heads", "n_kv"}) and self._without_heads(held)
        return Place(self.model, self.resolution.values, held, any_split)

    def _without_heads(self, held: Held) -> bool:
        """Whether the counts depend on heads through n_heads·d_head alone."""
        heads = {symbol(name) for name in ("n_heads", "n_kv", "d_head")}
        return not any(heads & held.applied(c).free_symbols for c in self.counts.values())
