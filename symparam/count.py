"""The tagged count: a model's parameters as a SymPy expression that knows where it came from.

``P = Σ w_t · copies_t · Π shape_t`` over the matrices t of the ledger. With all tags at 1 it is
the count; the coefficient of a tag is that matrix's share, through expansion and substitution.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import sympy as sp

from symparam.ledger import Ledger
from symparam.model import Model
from symparam.symbols import Monomial, SymExpr, exact, monomials, namespace, symbol, tag


@dataclass(frozen=True)
class Count:
    """A sum over matrices, each with its share.

    Attributes:
        shares: path of each counted matrix to its expression.
    """

    shares: Mapping[str, SymExpr]

    @classmethod
    def of(cls, ledger: Ledger) -> Count:
        """The count of a ledger over SymPy symbols."""
        return cls({m.path: exact(m.size()) for m in ledger.stored()})

    @cached_property
    def tagged(self) -> SymExpr:
        """The sum with each matrix's tag."""
        return sp.Add(*(tag(path) * share for path, share in self.shares.items()))

    def plain(self) -> SymExpr:
        """The sum with all tags at 1, as a polynomial in the dims."""
        return sp.expand(sp.Add(*self.shares.values()))

    def contribution(self, path: str) -> SymExpr:
        """What one matrix adds."""
        return self.shares[path]

    def origins(self, monomial: Monomial) -> dict[str, SymExpr]:
        """Which matrices make up a term, with how much each adds to its coefficient."""
        found = {path: monomials(share).get(monomial, 0) for path, share in self.shares.items()}
        return {path: coefficient for path, coefficient in found.items() if coefficient != 0}

    def under(self, values: Mapping[str, SymExpr]) -> Count:
        """The count with dims replaced by expressions."""
        table = {symbol(name): value for name, value in values.items()}
        return Count({path: sp.expand(share.subs(table, simultaneous=True))
                      for path, share in self.shares.items()})


def symbolic_ledger(model: Model) -> Ledger:
    """The model's matrices with shapes in symbols."""
    return model.ledger(namespace(model.dims))


def count(model: Model) -> Count:
    """The model's tagged count in the general form: no constraint applied.

    >>> from symparam.spec.decoder import plain_decoder
    >>> count(plain_decoder()).contribution("embedding.token.W_E")
    V*d_model
    """
    return Count.of(symbolic_ledger(model))
