"""Counts as polynomials over exact integers, for evaluating them a great many times.

A ledger's count is a sum of products of dims with positive whole coefficients. So it never falls
when a dim grows, and that is what the search rests on. Another quantity may subtract (what a
window keeps out of a cache): it is bounded by its two parts, each of which never falls.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any, TypeAlias

import numpy as np

from symparam.errors import NotDerivable
from symparam.solve.table import SAFE, Ints, Table
from symparam.symbols import Monomial, SymExpr, monomials

#: Dims with their exponents; no dim twice.
Term: TypeAlias = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Polynomial:
    """A sum of products of dims, each with a whole coefficient.

    >>> from symparam.symbols import symbol
    >>> count = Polynomial.of(12 * symbol("L") * symbol("d_model")**2)
    >>> count.value({"L": 64, "d_model": 8192})
    51539607552
    """

    terms: Mapping[Term, int]

    @classmethod
    def of(cls, expr: SymExpr, name: str = "the count") -> Polynomial:
        """The polynomial that a SymPy expression is.

        Raises:
            NotDerivable: something else than a sum of products of dims stands in it, or it
                subtracts.
        """
        found, scale = cls.scaled(expr, name)
        for coefficient in found.terms.values():
            if scale != 1 or coefficient < 0:
                raise NotDerivable(f"{name} has the coefficient {Fraction(coefficient, scale)}: "
                                   "only positive whole ones can be searched")
        return found

    @classmethod
    def scaled(cls, expr: SymExpr, name: str) -> tuple[Polynomial, int]:
        """A multiple of an expression with whole coefficients of either sign, and which multiple.

        >>> from symparam.symbols import symbol
        >>> Polynomial.scaled(symbol("L") / 2 - symbol("V"), "it")[1]
        2

        Raises:
            NotDerivable: something else than a sum of products of dims stands in it.
        """
        terms = {_term(m, name): _coefficient(c, name) for m, c in monomials(expr).items()}
        scale = lcm(*(c.denominator for c in terms.values()))
        return cls({term: int(c * scale) for term, c in terms.items()}), scale

    def split(self) -> tuple[Polynomial, Polynomial]:
        """What adds, and what is subtracted."""
        adds = {t: c for t, c in self.terms.items() if c > 0}
        return Polynomial(adds), Polynomial({t: -c for t, c in self.terms.items() if c < 0})

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
        """A bound on the size of the value over all rows: each dim at its largest."""
        names = {name for term in self.terms for name, _ in term}
        largest = Polynomial({term: abs(c) for term, c in self.terms.items()})
        return int(largest.value({name: table.most(name) for name in names}))

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


def _term(monomial: Monomial, name: str) -> Term:
    for base, exponent in monomial:
        if not (base.is_Symbol and exponent.is_Integer and exponent > 0):
            raise NotDerivable(f"{name} holds {base}**{exponent}: only sums of products of dims "
                               "can be searched")
    return tuple((base.name, int(exponent)) for base, exponent in monomial)


def _coefficient(number: SymExpr, name: str) -> Fraction:
    if not number.is_Rational:
        raise NotDerivable(f"{name} has the coefficient {number}: only exact numbers can be "
                           "searched")
    return Fraction(int(number.p), int(number.q))
