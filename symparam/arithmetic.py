"""Rounding to a multiple, and exact powers: what rules for dims need besides ``+`` and ``*``.

Components know ``+`` and ``*`` alone; what rounds or takes a root is a rule for a dim, and comes
here. Nothing becomes a float: a root that is not exact is refused.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from symparam.dataclass import dataclass
from symparam.errors import BadValue

#: How a value is brought to a multiple; a tie of ``nearest`` goes up.
MODES = ("nearest", "up", "down")


@dataclass(frozen=True)
class Rounding:
    """Rounding to a multiple, exact on integers, fractions and integer arrays.

    >>> from fractions import Fraction
    >>> Rounding("up", 256).apply(Fraction(8, 3) * 4096), Rounding("nearest", 256).apply(5461)
    (11008, 5376)
    """

    mode: str
    multiple: int

    def apply(self, value: Any) -> Any:
        """The multiple nearest to the value, or the next one up or down."""
        m = self.multiple
        if self.mode == "up":
            return -(-value // m) * m
        if self.mode == "nearest":
            return (2 * value + m) // (2 * m) * m
        return value // m * m

    def __str__(self) -> str:
        return f"{self.mode} to {self.multiple}"


#: No number that is meant for a model has more bits.
MAX_BITS = 12_000


def bounded(value: Any) -> Any:
    """A product, refused where it has grown beyond any model."""
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise BadValue("the expression", "a huge number", "beyond any model")
    return value


def exact_power(value: Any, exponent: int | Fraction) -> Any:
    """A power, exact on integers and fractions.

    Raises:
        BadValue: a root that is not exact, or a number beyond any model.

    >>> exact_power(9, Fraction(1, 2)), exact_power(2, -2)
    (Fraction(3, 1), Fraction(1, 4))
    """
    if not isinstance(value, (int, Fraction)):
        return value**exponent
    power, base = Fraction(exponent), Fraction(value)
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if size * abs(power.numerator) > MAX_BITS or power.denominator > MAX_BITS:
        raise BadValue("the expression", "a huge number", "beyond any model")
    full = base ** power.numerator
    if power.denominator == 1:
        return full
    over, under = (_root(n, power.denominator) for n in (full.numerator, full.denominator))
    if over is None or under is None:
        raise BadValue("the expression", f"{value}**({power})", "not a whole number or a fraction")
    return Fraction(over, under)


def _root(value: int, degree: int) -> int | None:
    """The exact root of a positive integer; None where there is none."""
    low, high = 0, 1 << (max(value, 0).bit_length() // degree + 1)
    while low < high:
        mid = (low + high) // 2
        low, high = (mid + 1, high) if mid**degree < value else (low, mid)
    return low if low**degree == value else None


def over(value: Any, divisor: Any) -> Any:
    """A quotient, exact: a whole number where it comes out whole.

    >>> over(6, 3), over(1, 2)
    (2, Fraction(1, 2))
    """
    if isinstance(value, (int, Fraction)) and isinstance(divisor, (int, Fraction)):
        found = Fraction(value) / divisor
        return found.numerator if found.denominator == 1 else found
    return value / divisor


def least(first: Any, second: Any) -> Any:
    """The smaller of two numbers, point by point in arrays.

    >>> least(4096, 512)
    512
    """
    if isinstance(first, (int, Fraction)) and isinstance(second, (int, Fraction)):
        return min(first, second)
    smaller = first < second
    return first * smaller + second * (1 - smaller)


def most(first: Any, second: Any) -> Any:
    """The larger of two numbers, point by point in arrays.

    >>> most(1, Fraction(3, 2))
    Fraction(3, 2)
    """
    return first + second - least(first, second)


#: The larger and the smaller of two, by the word that rules have for it.
EXTREMES = {"max": most, "min": least}


def decimal(value: Fraction | int, places: int) -> str:
    """A number with a fixed number of places, halves rounded away from zero.

    >>> decimal(Fraction(1, 8), 2), decimal(Fraction(-1, 3), 3)
    ('0.13', '-0.333')
    """
    scaled = abs(value) * 10**places
    whole = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    digits = str(whole).rjust(places + 1, "0")
    sign = "-" if value < 0 and whole else ""
    return sign + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)
