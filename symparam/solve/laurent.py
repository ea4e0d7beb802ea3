"""Sums of powers of one unknown, whole powers below and above zero, with exact coefficients."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from numbers import Rational


class NotLaurent(Exception):
    """What is worked out is no sum of whole powers."""


class Laurent:
    """A sum of c·x^e, with the operators that expressions use.

    >>> x = Laurent({1: Fraction(1)})
    >>> ((12 / x) + x * x).powers == {-1: 12, 2: 1}
    True
    """

    __slots__ = ("powers",)

    def __init__(self, powers: Mapping[int, Fraction]) -> None:
        self.powers = {e: Fraction(c) for e, c in powers.items() if c}

    @classmethod
    def of(cls, value: object) -> Laurent:
        """A number as a constant; a sum of powers as it is."""
        if isinstance(value, Laurent):
            return value
        if isinstance(value, Rational):
            return cls({0: Fraction(value)})
        raise NotLaurent

    def __add__(self, other: object) -> Laurent:
        right = Laurent.of(other).powers
        return Laurent({e: self.powers.get(e, Fraction(0)) + right.get(e, Fraction(0))
                        for e in {*self.powers, *right}})

    __radd__ = __add__

    def __mul__(self, other: object) -> Laurent:
        found: dict[int, Fraction] = {}
        for e, c in self.powers.items():
            for f, d in Laurent.of(other).powers.items():
                found[e + f] = found.get(e + f, Fraction(0)) + c * d
        return Laurent(found)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Laurent:
        right = Laurent.of(other).powers
        if len(right) != 1:
            raise NotLaurent
        (e, c), = right.items()
        return self * Laurent({-e: 1 / c})

    def __rtruediv__(self, other: object) -> Laurent:
        return Laurent.of(other) / self

    def __pow__(self, exponent: object) -> Laurent:
        if not isinstance(exponent, int) or abs(exponent) > 64:
            raise NotLaurent
        result = Laurent({0: Fraction(1)})
        for _ in range(abs(exponent)):
            result = result * self
        return result if exponent >= 0 else 1 / result

    def derivative(self) -> Laurent:
        """The derivative by the unknown."""
        return Laurent({e - 1: e * c for e, c in self.powers.items()})

    @property
    def grows(self) -> bool:
        """Whether it never falls where the unknown is positive, to be seen from its signs."""
        return all(e * c >= 0 for e, c in self.powers.items())
