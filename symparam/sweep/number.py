"""Sums of products of names, exact: what a quantity becomes when it is read over names.

A quantity of a model is worked out once over such sums; what comes out is a polynomial that can be
worked out over any arrays. Three things that quantities do are no polynomial, and become names of
their own: the smaller of two numbers (a comparison that is 0 or 1), whole numbers of groups (a
floor), and a division by a name (a negative power).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import TypeAlias

from symparam.errors import NotDerivable
from symparam.expression import Rational
from symparam.solve.polynomial import Polynomial, Term

#: Terms with their coefficients.
Terms: TypeAlias = Mapping[Term, Rational]


@dataclass(frozen=True)
class Atom:
    """A name that stands for ``first < second`` (1 or 0), or for ``⌊first/second⌋``.

    Attributes:
        kind: ``less`` or ``floor``.
        first, second: what it is made of.
    """

    kind: str
    first: Sum
    second: Sum


@dataclass
class Book:
    """The atoms of one reading, by the names that they were given."""

    atoms: dict[str, Atom] = field(default_factory=dict)

    def name(self, kind: str, first: Sum, second: Sum) -> Sum:
        """The name of an atom: the same one for the same parts."""
        key = Atom(kind, first, second)
        for name, atom in self.atoms.items():
            if (atom.kind, atom.first.terms, atom.second.terms) == (
                    kind, first.terms, second.terms):
                return Sum({((name, 1),): 1}, self)
        name = f"{kind}_{len(self.atoms) + 1}()"  # no dim is named so
        self.atoms[name] = key
        return Sum({((name, 1),): 1}, self)


class Sum:
    """A sum of products of names, with exact coefficients.

    >>> book = Book()
    >>> L, d = Sum.named("L", book), Sum.named("d_model", book)
    >>> print(d * (2 * L + 3) * d)
    2*L*d_model^2 + 3*d_model^2
    """

    __slots__ = ("book", "terms")

    def __init__(self, terms: Terms, book: Book) -> None:
        self.terms = {term: value for term, value in terms.items() if value}
        self.book = book

    @classmethod
    def named(cls, name: str, book: Book) -> Sum:
        """A name alone."""
        return cls({((name, 1),): 1}, book)

    def _of(self, value: Sum | Rational) -> Sum:
        if isinstance(value, Sum):
            return value
        if isinstance(value, (int, Fraction)):
            return Sum({(): value}, self.book)
        raise TypeError(f"{type(value).__name__} is no exact number")

    def __add__(self, other: Sum | Rational) -> Sum:
        terms: dict[Term, Rational] = dict(self.terms)
        for term, value in self._of(other).terms.items():
            terms[term] = terms.get(term, 0) + value
        return Sum(terms, self.book)

    __radd__ = __add__

    def __neg__(self) -> Sum:
        return Sum({term: -value for term, value in self.terms.items()}, self.book)

    def __sub__(self, other: Sum | Rational) -> Sum:
        return self + -self._of(other)

    def __rsub__(self, other: Rational) -> Sum:
        return -self + other

    def __mul__(self, other: Sum | Rational) -> Sum:
        terms: dict[Term, Rational] = {}
        for a, x in self.terms.items():
            for b, y in self._of(other).terms.items():
                term = _joined(a, b)
                terms[term] = terms.get(term, 0) + x * y
        return Sum(terms, self.book)

    __rmul__ = __mul__

    def __pow__(self, exponent: int) -> Sum:
        result = self._of(1)
        for _ in range(exponent):
            result = result * self
        return result

    def __truediv__(self, other: Sum | Rational) -> Sum:
        terms = self._of(other).terms
        if len(terms) != 1:
            raise NotDerivable("a division by a sum of dims cannot be worked out over a grid")
        (term, value), = terms.items()
        turned = tuple((name, -exponent) for name, exponent in term)
        return self * Sum({turned: 1 / Fraction(value)}, self.book)

    def __rtruediv__(self, other: Rational) -> Sum:
        return self._of(other) / self

    def __floordiv__(self, other: Sum | Rational) -> Sum:
        return self.book.name("floor", self, self._of(other))

    def __rfloordiv__(self, other: Rational) -> Sum:
        return self._of(other) // self

    def __lt__(self, other: Sum | Rational) -> Sum:
        return self.book.name("less", self, self._of(other))

    def __gt__(self, other: Sum | Rational) -> Sum:
        return self._of(other) < self

    def __bool__(self) -> bool:
        raise TypeError("a dim of a grid has no truth of its own")

    def cleared(self) -> tuple[Polynomial, int, Term]:
        """A polynomial with whole coefficients, and what it is to be divided by: a number and
        a product of names.

        >>> book = Book()
        >>> (Sum.named("w", book) / Sum.named("s", book) / 2).cleared()
        (Polynomial(terms={(('w', 1),): 1}), 2, (('s', 1),))
        """
        under: dict[str, int] = {}
        for term in self.terms:
            for name, exponent in term:
                under[name] = max(under.get(name, 0), -exponent)
        divisor = tuple(sorted((name, power) for name, power in under.items() if power > 0))
        scale = lcm(*(Fraction(value).denominator for value in self.terms.values()))
        return Polynomial({_joined(term, divisor): int(value * scale)
                           for term, value in self.terms.items()}), scale, divisor

    def __repr__(self) -> str:
        return " + ".join("*".join([*([str(value)] if value != 1 or not term else []), *(
            name if power == 1 else f"{name}^{power}" for name, power in term)])
            for term, value in self.terms.items()) or "0"


def _joined(first: Term, second: Term) -> Term:
    """The product of two products of names."""
    if not first or not second:
        return first or second
    powers = dict(first)
    for name, exponent in second:
        powers[name] = powers.get(name, 0) + exponent
    return tuple(sorted((name, power) for name, power in powers.items() if power))
