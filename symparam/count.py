"""The tagged count: a model's parameters as a SymPy expression that knows where it came from.

``P = Σ w_t · copies_t · Π shape_t`` over the matrices t of the ledger. With all tags at 1 it is
the count; the coefficient of a tag is that matrix's share, through expansion and substitution.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

import sympy as sp

from symparam.dataclass import dataclass
from symparam.ledger import Ledger
from symparam.model import Model
from symparam.polynomial import Polynomial
from symparam.quantities.quantity import Quantity, Subject
from symparam.quantities.setting import Regime, Setting
from symparam.symbols import (
    SymExpr,
    collected,
    exact,
    expand,
    names_in,
    namespace,
    put_in,
    symbol,
    tag,
)


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

    @cached_property
    def polynomials(self) -> dict[str, Polynomial]:
        """Each share, collected."""
        return {path: collected(share) for path, share in self.shares.items()}

    @cached_property
    def _plain(self) -> SymExpr:
        return expand(sp.Add(*self.shares.values()))

    def plain(self) -> SymExpr:
        """The sum with all tags at 1, as a polynomial in the dims."""
        return self._plain

    def part(self, paths: Iterable[str]) -> Count:
        """The shares of some matrices, which are not collected anew."""
        found = Count({path: self.shares[path] for path in paths})
        vars(found)["polynomials"] = {path: self.polynomials[path] for path in found.shares}
        return found

    def contribution(self, path: str) -> SymExpr:
        """What one matrix adds."""
        return self.shares[path]

    def under(self, values: Mapping[str, SymExpr]) -> Count:
        """The count with dims replaced by expressions."""
        table = {symbol(name): value for name, value in values.items()}
        return Count({path: share if names_in(share).isdisjoint(values) else
                      expand(put_in(share, table)) for path, share in self.shares.items()})


def symbolic_ledger(model: Model) -> Ledger:
    """The model's matrices with shapes in symbols."""
    return model.ledger(namespace(model.dims))


def count(model: Model) -> Count:
    """The model's tagged count in the general form: no constraint applied.

    >>> from symparam.descriptions.decoder import plain_decoder
    >>> count(plain_decoder()).contribution("embedding.token.W_E")
    V*d_model
    """
    return Count.of(symbolic_ledger(model))


def quantity_count(model: Model, quantity: Quantity, regime: Regime = "beyond",
                   setting: Setting | None = None) -> Count:
    """A quantity as a tagged expression, in the dims and in what a model is run with.

    Args:
        model: the model, in general form: no constraint applied.
        quantity: which one.
        regime: whether a sequence is taken as within its windows (s ≤ w) or beyond them (s ≥ w);
            each of the two is a polynomial where a smaller-of is none.
        setting: number formats, ratios and the like; s, b, s_encoder, n_devices and t are symbols.

    >>> from symparam.quantities import find
    >>> from symparam.descriptions.load import load
    >>> quantity_count(load("llama-2-7b"), find("kv_per_token")).plain()
    4*L*d_head*n_kv
    """
    subject = Subject.over(model, symbol, regime, setting)
    quantity.check(subject)
    return Count({path: exact(value) for path, value in (
        (share.path, share.value) for share in quantity.shares(subject))})
