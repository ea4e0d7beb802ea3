"""A quantity of a model, over symbols and at whole numbers: what is differentiated and counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

import sympy as sp

from symparam import expression as ex
from symparam.count import count
from symparam.dataclass import dataclass
from symparam.derivation.at_numbers import About, wanted
from symparam.derivation.parts import parts
from symparam.derivation.step import Line
from symparam.derivation.whole import Arranging
from symparam.dims import TOTAL
from symparam.errors import NotDerivable
from symparam.model import Model
from symparam.quantities.counts import is_embedding
from symparam.quantities.quantity import Quantity, Share, Subject
from symparam.quantities.setting import Setting
from symparam.run import RUN
from symparam.symbols import SymExpr, symbol


@dataclass(frozen=True)
class Amount(About):
    """A quantity of one model, to be differentiated and counted."""

    @classmethod
    def of(cls, model: Model, quantity: Quantity, setting: Setting | None = None) -> Amount:
        """A quantity of a model that is run in some way."""
        return cls(wanted(model, quantity, setting or Setting()))

    # --- in symbols ---------------------------------------------------------------------------

    @cached_property
    def _line(self) -> Line:
        asked = self.wanted
        trees = asked.trees
        found = parts(asked.model, asked.symbol, self.quantity.shares(trees), trees.ledger)
        if not found or asked.count.plain() == 0:
            raise NotDerivable(asked.nothing)
        return Arranging(found, self.quantity.at_work).line(asked.count, {})

    @property
    def formula(self) -> ex.Expr:
        """The quantity as it is written in its general form.

        Raises:
            NotDerivable: it is 0 here.
        """
        return self._line.expr

    @cached_property
    def value(self) -> ex.Rational | None:
        """Its value here; None while a dim has no number.

        Raises:
            NotDerivable: at these numbers it is no polynomial.
        """
        numbers = self.wanted.numbers(self._line)
        return numbers.result if numbers else None

    @cached_property
    def expr(self) -> SymExpr:
        """The quantity in symbols, its totals put in."""
        return self._with_totals(self._line.plain)

    @cached_property
    def embedded(self) -> SymExpr:
        """What of it comes from token embedding and head, in symbols."""
        shares = self.wanted.count.shares
        return self._with_totals(sp.Add(*(
            shares[path] for path in shares if self._is_embedded(Share(path, ())))))

    def _with_totals(self, expr: SymExpr) -> SymExpr:
        total = symbol(TOTAL.name)
        if total not in expr.free_symbols:
            return sp.expand(expr)
        return sp.expand(expr.xreplace({total: count(self.model).plain()}))

    # --- at whole numbers ---------------------------------------------------------------------

    @property
    def here(self) -> Mapping[str, int] | None:
        """Numbers for all that it depends on; None where some have none."""
        if not self.wanted.numbered:
            return None
        values = self.wanted.resolution.values
        return {name: value for name, value in values.items() if name != TOTAL.name}

    def at(self, dims: Mapping[str, int],
           keep: Callable[[Share], bool] = lambda _: True) -> ex.Rational:
        """The quantity at other numbers, from the lists anew; or what some shares add to it."""
        run = self.wanted.run.at(**{name: dims[name] for name in RUN if name in dims})
        subject = Subject.at(self.model, dims, run, self.quantity.at_work)
        self.quantity.check(subject)
        total: ex.Rational = 0
        for share in self.quantity.shares(subject):
            total += share.value if keep(share) else 0
        return ex.whole(total)

    def in_layers(self, dims: Mapping[str, int]) -> ex.Rational:
        """What of it stands in layers that are repeated."""
        repeated = tuple(f"{stack.name}." for stack in self.model.stacks if stack.repeat)
        return self.at(dims, lambda share: share.path.startswith(repeated))

    def in_embeddings(self, dims: Mapping[str, int]) -> ex.Rational:
        """What of it comes from token embedding and head."""
        return self.at(dims, self._is_embedded)

    @cached_property
    def _embeddings(self) -> frozenset[str]:
        return frozenset(m.path for m in self.wanted.trees.ledger if is_embedding(m))

    def _is_embedded(self, share: Share) -> bool:
        return share.entry in self._embeddings
