"""One of the two models of a difference: its numbers, and how its dims are written.

What an option *is* is put in (multi-head attention is n_kv = n_heads), and kinds of layer are
written by the number of all layers; nothing else. So an exchange of grouped for multi-head
attention shows in the shapes, and widths stay apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.derivation.arrange import kinds
from symparam.derivation.at_numbers import About, Bound, not_one_regime, regime_of
from symparam.dims import TOTAL, order_key, primed
from symparam.errors import NotDerivable
from symparam.ledger import Matrix
from symparam.quantities.quantity import Share, Subject
from symparam.quantities.setting import Regime, Setting
from symparam.resolve import Resolution
from symparam.run import RUN
from symparam.symbols import exact, symbol, to_sympy


class Entry(NamedTuple):
    """What one matrix, state or product adds to a quantity.

    Attributes:
        shape, copies: of a number of parameters a matrix's shape and how often it counts; of any
            other quantity one product, and 1.
        counted: False for a matrix that is there and shares the weights of another.
        role: of what a matrix adds what the matrix does: a weight, a bias, a gain.
    """

    shape: tuple[Any, ...]
    copies: Any
    counted: bool = True
    role: str = ""

    @property
    def size(self) -> Any:
        """What it adds."""
        return self.copies * math.prod(self.shape)


@dataclass(frozen=True)
class Side(About):
    """A model of a difference.

    Attributes:
        written: dims that are written by others (``n_kv`` by ``n_heads``).
        taken: dims whose numbers are those of the other model, for it has none of its own.
    """

    written: Mapping[str, ex.Expr]
    taken: tuple[str, ...] = ()

    @property
    def setting(self) -> Setting:
        """What the model is run with."""
        return self.wanted.run

    @property
    def resolution(self) -> Resolution:
        """Numbers for its dims; all of them, or ``resolution.missing`` says which not."""
        return self.wanted.resolution

    @property
    def values(self) -> Mapping[str, int]:
        """Numbers for dims."""
        return self.resolution.values

    @property
    def complete(self) -> bool:
        """Whether all dims have numbers."""
        return self.wanted.numbered and not self.resolution.missing

    @cached_property
    def _names(self) -> set[str]:
        """The dims that it needs; of what is run also tokens and the like."""
        if not self.quantity.at_work:
            return set(self.model.dims)
        run = {name for name, row in RUN.items()
               if name in self.setting.run or row.usual(self.model.encodes)}
        total = {TOTAL.name} if symbol(TOTAL.name) in self.wanted.count.plain().free_symbols else ()
        return {*self.model.dims_at_work, *run, *total,
                *(name for name in self.quantity.dims if name in self.values)}

    @cached_property
    def free(self) -> tuple[str, ...]:
        """The dims that its shapes are written in, in the order in which the field writes them."""
        inside = (name for expr in self.written.values() for name in ex.symbols_in(expr))
        return tuple(sorted({*self._names, *inside} - set(self.written), key=order_key))

    def namespace(self, marked: Iterable[str] = ()) -> dict[str, ex.Expr]:
        """Its dims as trees, those of some names with the mark of the second model."""
        marks = set(marked)
        symbols: dict[str, ex.Expr] = {
            name: ex.Sym(primed(name) if name in marks else name) for name in self.free}
        return symbols | {name: ex.substitute(expr, symbols)
                          for name, expr in self.written.items()}

    # --- the entries over each kind of number -------------------------------------------------

    def trees(self, marked: Iterable[str] = ()) -> dict[str, Entry]:
        """Its entries as they are written."""
        return self._over(self.namespace(marked), self._regime(self.values))

    def symbolic(self, marked: Iterable[str] = (),
                 at: Mapping[str, int] | None = None) -> dict[str, Entry]:
        """Its entries over SymPy's symbols, which polynomial they are decided by some numbers."""
        names = {name: to_sympy(tree) for name, tree in self.namespace(marked).items()}
        return self._over(names, self._regime(self.values if at is None else at))

    def numbers(self, values: Mapping[str, int]) -> dict[str, Entry]:
        """Its entries over numbers for the dims that it is written in."""
        return self._entries(self._at(values))

    def amount(self, values: Mapping[str, int]) -> ex.Rational:
        """The quantity at such numbers."""
        found: ex.Rational = self.quantity.value(self._at(values))
        return found

    @cached_property
    def value(self) -> ex.Rational | None:
        """The quantity at its own numbers; None while a dim has none."""
        return self.amount(self.values) if self.complete else None

    def _at(self, values: Mapping[str, int]) -> Subject:
        own = {name: values[name] for name in self.free}
        dims = {**own, **{name: ex.evaluate(expr, own) for name, expr in self.written.items()}}
        run = self.setting.at(**{name: dims[name] for name in RUN if name in dims})
        subject = Subject.at(self.model, dims, run, self.quantity.at_work)
        return replace(subject, total=dims.get(TOTAL.name))

    def _over(self, names: Mapping[str, Any], regime: Regime) -> dict[str, Entry]:
        subject = replace(
            Subject.over(self.model, lambda name: names.get(name, ex.Sym(name)), regime,
                         self.setting, self.quantity.at_work), total=names.get(TOTAL.name))
        self.quantity.check(subject)
        return self._entries(subject)

    def _regime(self, values: Mapping[str, int]) -> Regime:
        """Where a sequence stands to windows at some numbers; beyond them without numbers."""
        if not self.quantity.at_work or any(name not in values for name in self.free):
            return "beyond"
        subject = self._at(values)
        found = regime_of(self.quantity, subject)
        if found is None:
            raise NotDerivable(not_one_regime(self.quantity, subject.setting))
        return found

    def _entries(self, subject: Subject) -> dict[str, Entry]:
        ledger = subject.ledger
        shares = {share.path: share for share in self.quantity.shares(subject)}
        if self.quantity.at_work:
            roles = {m.path: m.role for m in ledger}
            found = {path: Entry((share.value,), 1, role=roles.get(share.entry, ""))
                     for path, share in shares.items()}
        else:
            found = {m.path: _of_matrix(m, shares[m.path]) for m in ledger if m.path in shares}
        return found | {m.path: Entry(m.shape, 1, False, m.role) for m in ledger
                        if m.tied_to is not None and m.path not in shares}

    @cached_property
    def kinds(self) -> dict[str, str]:
        """What kind of entry each is, by its path."""
        return kinds(self.wanted.trees.ledger)

    # --- what is told of it beforehand --------------------------------------------------------

    @cached_property
    def present(self) -> frozenset[str]:
        """The dims that the quantity depends on."""
        return frozenset(s.name for entry in self.symbolic().values() if entry.counted
                         for s in exact(entry.size).free_symbols)

    @property
    def assumed(self) -> Mapping[str, str]:
        """What of the run nobody gave, with why it is so."""
        return {name: why for name, why in self.wanted.assumed.items() if name in self.present}

    @property
    def windows(self) -> tuple[Bound, ...]:
        """The windows on which the formula depends, and where a sequence stands to each."""
        return self.wanted.windows() if self.quantity.at_work else ()


def _of_matrix(m: Matrix, share: Share) -> Entry:
    """A matrix that counts: the first factors of its share are its copies."""
    inside = len(m.indices)
    return Entry(share.factors[inside:], math.prod(share.factors[:inside]), role=m.role)
