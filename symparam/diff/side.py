"""One of the two models of a difference: its numbers, and how its dims are written.

What an option *is* is put in (multi-head attention is n_kv = n_heads), and kinds of layer are
written by the number of all layers; nothing else. So an exchange of grouped for multi-head
attention shows in the shapes, and widths stay apart.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import sympy as sp

from symparam import expression as ex
from symparam.constraints import Equation, Standing, Sums
from symparam.dataclass import dataclass
from symparam.derivation.arrange import kinds
from symparam.derivation.at_numbers import About, Bound, Wanted, not_one_regime, regime_of, wanted
from symparam.dims import TOTAL, order_key, primed
from symparam.errors import NotDerivable
from symparam.ledger import Matrix
from symparam.model import Model
from symparam.quantities.quantity import Quantity, Share, Subject
from symparam.quantities.setting import Regime, Setting
from symparam.resolve import Resolution, resolve, with_overrides
from symparam.run import RUN
from symparam.symbols import exact, from_sympy, symbol, to_sympy

#: A number of layers by a rule of more terms than this is a dim of its own.
MOST_TERMS = 24


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


def sides(before: Model, after: Model, quantity: Quantity, setting: Setting) -> tuple[Side, Side]:
    """Both models, numbers that one of them lacks taken from the other; both are run alike unless
    each was given its own numbers for that."""
    first, second = resolve(before), resolve(after)
    one, taken_one = _completed(before, first, second, after)
    two, taken_two = _completed(after, second, first, before)
    of_one, of_two = wanted(one, quantity, setting), wanted(two, quantity, setting)
    run_one, run_two = _run_alike(of_one, of_two)
    if run_one or run_two:
        of_one = wanted(with_overrides(one, run_one), quantity, setting)
        of_two = wanted(with_overrides(two, run_two), quantity, setting)
    first, second = of_one.resolution, of_two.resolution
    return (Side(of_one, _written(of_one.model, first, second), (*taken_one, *run_one)),
            Side(of_two, _written(of_two.model, second, first), (*taken_two, *run_two)))


def run_as_it_is(model: Model, quantity: Quantity, setting: Setting,
                 names: Collection[str]) -> Model:
    """The model with numbers of its own for some of what it is run with: those that it is taken to
    be run with where nobody says."""
    if not quantity.at_work or not RUN.keys() & set(names):
        return model
    own = wanted(model, quantity, setting)
    return with_overrides(model, {name: own.resolution.values[name] for name in names
                                  if name in own.assumed})


def _run_alike(one: Wanted, two: Wanted) -> tuple[dict[str, int], dict[str, int]]:
    """What either is to be run with as the other is: what only that one was given; where neither
    was, the smaller of what both would take."""
    first, second = dict[str, int](), dict[str, int]()
    for name in RUN:
        own, other = one.resolution.values.get(name), two.resolution.values.get(name)
        if own is None or other is None or own == other:
            continue
        if name in one.assumed and (name not in two.assumed or other < own):
            first[name] = other
        elif name in two.assumed:
            second[name] = own
    return first, second


def _completed(model: Model, own: Resolution, other: Resolution,
               giver: Model) -> tuple[Model, tuple[str, ...]]:
    """A model that lacks numbers, with those that were given for the other one."""
    if not own.missing:
        return model, ()
    defined = {eq.dim for eq in model.all_equations() if eq.standing is Standing.DEFINITION}
    wanted = {*model.dims, *(name for eq in model.equations for name in eq.inputs)}
    found = {name: value for name, value in other.values.items()
             if name in wanted - defined and name not in model.values
             and (name in giver.values or name in own.missing)}
    return with_overrides(model, found), tuple(sorted(found, key=order_key))


def _written(model: Model, own: Resolution, other: Resolution) -> dict[str, ex.Expr]:
    """The dims that are written by others: equations applied until none is left."""
    chosen: dict[str, ex.Expr] = {}
    for eq in model.all_equations():
        if eq.dim in model.dims and eq.dim not in chosen and (
                _is_meant(eq, own.values) or _is_kind(model, eq, own, other)):
            chosen[eq.dim] = eq.expr
    chosen |= _last_kinds(model, chosen)
    for _ in chosen:  # one may be written by another
        chosen = {name: ex.substitute(expr, chosen) for name, expr in chosen.items()}
    return {name: expr for name, expr in chosen.items() if name not in ex.symbols_in(expr)}


def _last_kinds(model: Model, chosen: Mapping[str, ex.Expr]) -> dict[str, ex.Expr]:
    """Numbers of layers that are the same for every depth: what is left where all other kinds are
    written by the number of all."""
    found: dict[str, ex.Expr] = {}
    for check in (check for check in model.all_checks() if isinstance(check, Sums)):
        open_ = [part for part in check.parts if part not in chosen]
        if len(open_) == 1:
            rest = ex.Sym(check.whole) - ex.sum_of(*(chosen[part] for part in check.parts
                                                     if part in chosen))
            value = from_sympy(sp.expand(to_sympy(rest)))
            if isinstance(value, ex.Num) and model.values.get(open_[0]) == value.value:
                found[open_[0]] = value
    return found


def _is_meant(eq: Equation, values: Mapping[str, int]) -> bool:
    """Whether an equation says what an option is, or what these numbers make of it."""
    if eq.rounding or _has_fraction(eq.expr):  # a step of the way would not come out whole
        return False
    if eq.standing is Standing.DEFINITION:
        return True
    return eq.standing is Standing.CANDIDATE and eq.holds(values) is True


def _is_kind(model: Model, eq: Equation, own: Resolution, other: Resolution) -> bool:
    """Whether it gives the layers of one kind by those of the others, and with the numbers of
    either model does so as a whole number."""
    counts = {name for stack in model.stacks if stack.repeat
              for name in ex.symbols_in(stack.repeat.stored)}
    follows = own.rules.get(eq.dim, eq) == eq and eq.dim not in own.given
    if eq.dim not in counts or not follows or eq.rounding or _has_fraction(eq.expr) or (
            ex.expanded_terms(eq.expr) > MOST_TERMS):
        return False
    for values in (own.values, {**own.values, **other.values}):
        if all(name in values for name in eq.inputs) and ex.evaluate(eq.expr, values) < 0:
            return False
    return True


def _has_fraction(expr: ex.Expr) -> bool:
    return any(isinstance(node, (ex.Quotient, ex.Power)) or (
        isinstance(node, ex.Num) and isinstance(node.value, Fraction)) for node in ex.walk(expr))
