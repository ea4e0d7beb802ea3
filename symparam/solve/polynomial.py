"""The count as a polynomial over exact integers, for evaluating it a great many times.

A ledger's count is a sum of products of dims with positive whole coefficients. So it never falls
when a dim grows, and that is what the search rests on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from symparam.errors import NotDerivable
from symparam.solve.table import SAFE, Ints, Table
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

    def degree(self, name: str) -> int:
        """The highest power of a dim."""
        return max((dict(term).get(name, 0) for term in self.terms), default=0)

    def parts(self, name: str) -> tuple[Polynomial, Polynomial]:
        """Of a polynomial of degree 1 in a dim: what is free of it, and what stands before it."""
        free = {t: c for t, c in self.terms.items() if (name, 1) not in t}
        before = {tuple(f for f in t if f != (name, 1)): c for t, c in self.terms.items()
                  if (name, 1) in t}
        return Polynomial(free), Polynomial(before)

    def most(self, table: Table) -> int:
        """A bound on the value over all rows: each dim at its largest."""
        names = {name for term in self.terms for name, _ in term}
        return int(self.value({name: table.most(name) for name in names}))

    def over(self, table: Table, wide: bool | None = None) -> Ints:
        """The value at every row: on 64 bits, or on Python's integers where those are too few.

        Args:
            table: the rows.
            wide: whether to take Python's integers; by default, where the values ask for it.
        """
        wide = self.most(table) > SAFE if wide is None else wide
        kind: Any = object if wide else np.int64
        powers: dict[tuple[str, int], Any] = {}
        total = np.zeros(table.rows, dtype=kind)
        for term, coefficient in self.terms.items():
            product: Any = coefficient
            for factor in term:
                if factor not in powers:
                    powers[factor] = _power(table[factor[0]], factor[1], wide)
                product = product * powers[factor]
            total += product
        return total


def _power(value: Any, exponent: int, wide: bool) -> Any:
    column = value.astype(object) if wide and isinstance(value, np.ndarray) else value
    return column if exponent == 1 else column**exponent


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
