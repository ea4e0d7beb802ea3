"""The count as a polynomial over exact integers, for evaluating it a great many times.

A ledger's count is a sum of products of dims with positive whole coefficients. So it never falls
when a dim grows, and that is what the search rests on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from symparam.errors import NotDerivable
from symparam.symbols import Monomial, SymExpr, monomials

#: Dims with their exponents; no dim twice.
Term: TypeAlias = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Polynomial:
    """A sum of products of dims, each with a positive whole coefficient.

    >>> from symparam.symbols import symbol
    >>> count = Polynomial.of(12 * symbol("L") * symbol("d_model")**2)
    >>> count.value({"L": 64, "d_model": 8192})
    51539607552
    """

    terms: Mapping[Term, int]

    @classmethod
    def of(cls, expr: SymExpr) -> Polynomial:
        """The polynomial that a SymPy expression is.

        Raises:
            NotDerivable: something else than a sum of products of dims stands in it.
        """
        return cls({_term(monomial): _coefficient(c) for monomial, c in monomials(expr).items()})

    def at(self, values: Mapping[str, int]) -> Polynomial:
        """The polynomial in the dims that are left when some have numbers."""
        found: dict[Term, int] = {}
        for term, coefficient in self.terms.items():
            left = []
            for factor in term:
                name, exponent = factor
                if name in values:
                    coefficient *= values[name]**exponent
                else:
                    left.append(factor)
            key = tuple(left)
            found[key] = found.get(key, 0) + coefficient
        return Polynomial(found)

    def value(self, values: Mapping[str, Any]) -> Any:
        """The value where all dims have numbers; exact on integers and fractions."""
        return self.at(values).terms.get((), 0)

    def along(self, name: str) -> Callable[[int], int]:
        """The polynomial in the one dim that is left, as a function of that dim."""
        powers = {term[0][1] if term else 0: c for term, c in self.terms.items()}
        constant, slope = powers.pop(0, 0), powers.pop(1, 0)
        if not powers:
            return lambda x: constant + slope * x
        rest = tuple(powers.items())
        return lambda x: constant + slope * x + sum(int(c * x**e) for e, c in rest)


def _term(monomial: Monomial) -> Term:
    for base, exponent in monomial:
        if not (base.is_Symbol and exponent.is_Integer and exponent > 0):
            raise NotDerivable(f"the count holds {base}**{exponent}: only sums of products of dims "
                               "can be searched")
    return tuple((base.name, int(exponent)) for base, exponent in monomial)


def _coefficient(number: SymExpr) -> int:
    if not (number.is_Integer and number > 0):
        raise NotDerivable(f"the count has the coefficient {number}: only positive whole ones can "
                           "be searched")
    return int(number)
