"""A quantity over the numbers of its model: which polynomial it is there, and its value.

What rounds or takes the smaller of two is no polynomial. Numbers decide which one holds: where a
sequence stands to the windows; without numbers it stands beyond them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import sympy as sp

from symparam import expression as ex
from symparam.count import Count
from symparam.derivation.plan import Numbers
from symparam.derivation.step import Line
from symparam.dims import TOTAL
from symparam.errors import NotDerivable
from symparam.model import Model
from symparam.quantities.cost import RUN
from symparam.quantities.quantity import Quantity, Subject
from symparam.quantities.setting import Setting
from symparam.resolve import Resolution
from symparam.symbols import exact, symbol


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
    side: Literal["within", "beyond"]


@dataclass(frozen=True)
class Wanted:
    """A quantity of a model, over integers, symbols and trees.

    Attributes:
        model, quantity: what is wanted.
        run: what the model is run with.
        resolution: its numbers, those of the run among them.
    """

    model: Model
    quantity: Quantity
    run: Setting
    resolution: Resolution

    def values(self) -> dict[str, int]:
        """Numbers of dims and of what the model is run with."""
        at_work = {name: getattr(self.run, part) for name, part in RUN.items()}
        if self.numbered:
            at_work[TOTAL.name] = int(self.model.ledger(self.resolution.values).total())
        return {**self.resolution.values,
                **{name: value for name, value in at_work.items() if value is not None}}

    @property
    def numbered(self) -> bool:
        """Whether all dims have numbers."""
        return not any(name in self.resolution.missing for name in self.model.dims_at_work)

    def over(self, number: Any, regime: Any) -> Subject:
        """The model over symbols or trees."""
        tokens = None if self.run.training_tokens is None else number("D")
        subject = Subject.over(self.model, number, regime,
                               replace(self.run, training_tokens=tokens))
        subject = replace(subject, total=number(TOTAL.name))
        encoder = self.run.encoder_tokens
        return subject if encoder is not None else replace(
            subject, setting=replace(subject.setting, encoder_tokens=None))

    def symbolic(self) -> tuple[Count, Subject, Literal["within", "beyond"]]:
        """The quantity over symbols and over trees, in the regime of the numbers."""
        regime = self._regime()
        symbols = self.over(symbol, regime)
        self.quantity.check(symbols)
        shares = {path: exact(share) for path, share in (
            (each.path, each.value) for each in self.quantity.shares(symbols))}
        return Count({path: sp.expand(share) for path, share in shares.items() if share != 0}), (
            self.over(ex.Sym, regime)), regime

    def _regime(self) -> Literal["within", "beyond"]:
        """Where the numbers stand to windows; beyond them where there are none."""
        if not self.numbered:
            return "beyond"
        subject = Subject.of(self.model, self.run)
        wanted = self.quantity.value(subject)
        regimes: tuple[Literal["beyond"], Literal["within"]] = ("beyond", "within")
        for regime in regimes:
            at = replace(subject, setting=replace(self.run, regime=regime))
            if self.quantity.value(at) == wanted:
                return regime
        raise NotDerivable(f"{self.quantity.name} is no polynomial at s = {self.run.tokens}: the "
                           "sequence is longer than one window and shorter than another, or no "
                           "whole number of the groups that share an entry")

    def windows(self, regime: Literal["within", "beyond"]) -> tuple[Bound, ...]:
        """The windows on which the quantity depends."""
        ledger = self.over(ex.Sym, regime).ledger
        bounds = [(each.every, ex.node(each.window)) for each in (
            *ledger.states, *ledger.products) if each.window is not None]
        if not bounds:
            return ()
        within, beyond = (sp.expand(sum(exact(share.value) for share in self.quantity.shares(
            self.over(symbol, each)))) for each in ("within", "beyond"))
        names = {each.name for each in (beyond - within).expand().free_symbols}
        seen = ex.Sym("s")
        found = (Bound(seen if every == 1 else seen / every, window, regime)
                 for every, window in bounds if names.intersection(ex.symbols_in(window)))
        return tuple(dict.fromkeys(found))

    def numbers(self, line: Line, values: Mapping[str, int]) -> Numbers | None:
        """The line with numbers in it, held against the lists over integers."""
        if not self.numbered:
            return None
        result = ex.evaluate(line.expr, values)
        wanted = self.quantity.value(Subject.of(self.model, self.run))
        if result != wanted:
            raise NotDerivable(f"{self.quantity.name} is {wanted} here, and no polynomial: "
                               f"something rounds (without that it would be {result})")
        put_in = ex.substitute(line.expr, {n: ex.Num(v) for n, v in values.items()})
        return Numbers(line.expr, put_in, result)
