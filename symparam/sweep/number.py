"""What a quantity becomes when it is read over names: a polynomial, with atoms where it is none.

A quantity of a model is worked out once over such numbers; what comes out can be worked out over
any arrays. Three things that quantities do are no polynomial: the smaller of two numbers (a
comparison that is 0 or 1) and whole numbers of groups (a floor) become names of their own, and a
division by a name is a negative power.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Self

from symparam.dataclass import dataclass
from symparam.expression import Rational
from symparam.polynomial import Polynomial, Powers


@dataclass(frozen=True)
class Atom:
    """A name that stands for ``first < second`` (1 or 0), or for ``⌊first/second⌋``.

    Attributes:
        kind: ``less`` or ``floor``.
        first, second: what it is made of.
    """

    kind: str
    first: Polynomial
    second: Polynomial


@dataclass
class Book:
    """The atoms of one reading, by the names that they were given."""

    atoms: dict[str, Atom] = field(default_factory=dict)
    _names: dict[Atom, str] = field(default_factory=dict)

    def name(self, kind: str, first: Polynomial, second: Polynomial | Rational) -> Reading:
        """The name of an atom: the same one for the same parts."""
        atom = Atom(kind, first, Polynomial.of(second))
        if atom not in self._names:
            self._names[atom] = f"{kind}_{len(self.atoms) + 1}()"  # no dim is named so
            self.atoms[self._names[atom]] = atom
        return self.named(self._names[atom])

    def named(self, name: str) -> Reading:
        """A name alone."""
        return Reading({((name, 1),): 1}, self)


class Reading(Polynomial):
    """A polynomial that can be compared and divided into groups, which makes atoms.

    >>> book = Book()
    >>> s, w = book.named("s"), book.named("w")
    >>> s * (s < w) + w * (s > w), s // 4
    (less_1()*s + less_2()*w, floor_3())
    """

    __slots__ = ("book",)

    def __init__(self, terms: Mapping[Powers, Rational], book: Book) -> None:
        super().__init__(terms)
        self.book = book

    def _made(self, terms: Mapping[Powers, Rational]) -> Self:
        return type(self)(terms, self.book)

    def __floordiv__(self, other: Polynomial | Rational) -> Reading:
        return self.book.name("floor", self, other)

    def __rfloordiv__(self, other: Rational) -> Reading:
        return self.book.name("floor", Polynomial.of(other), self)

    def __lt__(self, other: Polynomial | Rational) -> Reading:
        return self.book.name("less", self, other)

    def __gt__(self, other: Polynomial | Rational) -> Reading:
        return self.book.name("less", Polynomial.of(other), self)
