"""A quantity over the numbers of its model: which polynomial it is there, and its value.

What rounds or takes the smaller of two is no polynomial. Numbers decide which one holds: where a
sequence stands to the windows; without numbers it stands beyond them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import sympy as sp

from symparam import expression as ex
from symparam.count import Count
from symparam.dataclass import dataclass
from symparam.derivation.step import Line
from symparam.dims import TOTAL
from symparam.errors import NotDerivable
from symparam.model import Model
from symparam.quantities.cost import run_of
from symparam.quantities.quantity import Quantity, Subject
from symparam.quantities.setting import Setting
from symparam.resolve import Resolution, resolve
from symparam.run import RUN
from symparam.symbols import exact, expand, names_in, symbol

Side: TypeAlias = Literal["within", "beyond"]


@dataclass(frozen=True)
class Bound:
    """Where a sequence stands to a window on which a formula depends.

    Attributes:
        seen: what is compared: ``s``, or ``s/n`` where an entry stands for n tokens.
        window: the window.
        side: within it, or beyond it.
    """

    seen: ex.Expr
    window: ex.Expr
    side: Side


@dataclass(frozen=True)
class Numbers:
    """Numbers put in: symbols, numbers, result."""

    symbolic: ex.Expr
    substituted: ex.Expr
    result: ex.Rational


@dataclass(frozen=True)
class Wanted:
    """A quantity of a model, over integers, symbols and trees.

    Attributes:
        model, quantity: what is wanted.
        run: what the model is run with.
        resolution: its numbers, those of the run among them.
        assumed: what of the run nobody gave, with why it is so.
    """

    model: Model
    quantity: Quantity
    run: Setting
    resolution: Resolution
    assumed: Mapping[str, str] = field(default_factory=dict)

    @property
    def symbol(self) -> str:
        """What stands for the whole."""
        return self.quantity.symbol

    @property
    def of_parameters(self) -> bool:
        """Whether it is the number of parameters itself."""
        return self.quantity.name == TOTAL.name

    @cached_property
    def present(self) -> frozenset[str]:
        """The symbols that it depends on."""
        return names_in(self.count.plain())

    @property
    def nothing(self) -> str:
        """What is said where it is 0."""
        if self.of_parameters:
            return f"{self.model.name} has no parameters to derive"
        return f"{self.quantity.name} of {self.model.name} is 0: it has nothing of the kind"

    @property
    def numbered(self) -> bool:
        """Whether all dims have numbers."""
        needed = self.model.dims_at_work if self.quantity.at_work else self.model.dims
        return not any(name in self.resolution.missing for name in needed)

    def over(self, number: Any, regime: Any) -> Subject:
        """The model over symbols or trees."""
        return replace(Subject.over(self.model, number, regime, self.run, self.quantity.at_work),
                       total=number(TOTAL.name))

    @cached_property
    def count(self) -> Count:
        """The quantity over symbols, in the regime of the numbers."""
        subject = self.over(symbol, self._regime)
        self.quantity.check(subject)
        shares = {each.path: sp.Mul(*map(exact, each.factors))
                  for each in self.quantity.shares(subject)}
        return Count({path: expand(share) for path, share in shares.items() if not share.is_zero})

    @cached_property
    def here(self) -> Subject:
        """The model at its numbers."""
        return Subject.at(self.model, self.resolution.values, self.run, self.quantity.at_work)

    @cached_property
    def trees(self) -> Subject:
        """The model over trees, in the same regime."""
        return self.over(ex.Sym, self._regime)

    @cached_property
    def _regime(self) -> Side:
        """Where the numbers stand to windows; beyond them where there are none."""
        if not self.numbered or not self.quantity.at_work:
            return "beyond"
        found = regime_of(self.quantity, self.here)
        if found is None:
            raise NotDerivable(not_one_regime(self.quantity, self.run))
        return found

    def windows(self) -> tuple[Bound, ...]:
        """The windows on which the quantity depends."""
        ledger = self.trees.ledger
        bounds = [(each.every, ex.node(each.window)) for each in (
            *ledger.states, *ledger.products) if each.window is not None]
        if not bounds:
            return ()
        within, beyond = (expand(sum(exact(share.value) for share in self.quantity.shares(
            self.over(symbol, each)))) for each in ("within", "beyond"))
        names = {each.name for each in (beyond - within).expand().free_symbols}
        seen = ex.Sym("s")
        found = (Bound(seen if every == 1 else seen / every, window, self._regime)
                 for every, window in bounds if names.intersection(ex.symbols_in(window)))
        return tuple(dict.fromkeys(found))

    def numbers(self, line: Line) -> Numbers | None:
        """The line with numbers in it, held against the lists over integers."""
        if not self.numbered:
            return None
        values = self.resolution.values
        result = ex.evaluate(line.expr, values)
        value = self.quantity.value(self.here)
        if result != value:
            raise NotDerivable(f"{self.quantity.name} is {value} here, and no polynomial: "
                               f"something rounds (without that it would be {result})")
        put_in = ex.substitute(line.expr, {n: ex.Num(v) for n, v in values.items()})
        return Numbers(line.expr, put_in, result)


@dataclass(frozen=True)
class About:
    """What is told about one quantity of one model: the base of those who tell it.

    Attributes:
        wanted: the quantity, with what the model is run with.
    """

    wanted: Wanted

    @property
    def model(self) -> Model:
        """The model."""
        return self.wanted.model

    @property
    def quantity(self) -> Quantity:
        """The quantity."""
        return self.wanted.quantity


def regime_of(quantity: Quantity, subject: Subject) -> Side | None:
    """Where the numbers stand to windows; None where to each of them otherwise."""
    value = quantity.value(subject)
    regimes: tuple[Side, Side] = ("beyond", "within")
    for regime in regimes:
        at = replace(subject.setting, regime=regime)
        if quantity.value(replace(subject, setting=at)) == value:
            return regime
    return None


def not_one_regime(quantity: Quantity, run: Setting) -> str:
    """What is said where no one polynomial holds."""
    return (f"{quantity.name} is no polynomial at s = {run['s']}: the sequence is longer than one "
            "window and shorter than another, or no whole number of the groups that share an entry")


def wanted(model: Model, quantity: Quantity, setting: Setting) -> Wanted:
    """A quantity of a model with what it is run with, as far as it asks for that.

    Raises:
        BadValue, Contradiction, ConstraintViolated: numbers that no model has.
    """
    if not quantity.at_work:
        return Wanted(model, quantity, setting, resolve(model))
    run, assumed, _ = run_of(model, setting)
    found = resolve(model, (*model.dims_at_work, *RUN))
    known = {**found.values, **run.run}
    if not any(name in found.missing for name in model.dims_at_work):
        known[TOTAL.name] = int(model.ledger(found.values).total())
    return Wanted(model, quantity, run, replace(found, values=known), assumed)
