"""Sums of products of names, exact: the one polynomial of the package.

Coefficients are whole numbers and fractions, exponents too, below zero as above: what a count is,
what a quantity divides by (devices), what a rule makes of a dim. A polynomial knows ``+`` and
``*`` like any other number, so that the lists of a model can be worked out over it; it divides by
a single product, and it is worked out over numbers, arrays, or polynomials again. It knows neither
SymPy nor NumPy: :mod:`symparam.symbols` goes between it and SymPy, against which derivatives and
proofs are held.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, Self, TypeAlias

from symparam.arithmetic import over
from symparam.errors import NotDerivable
from symparam.expression import Rational, whole

#: Names with their exponents, by name; none is 0, and no name stands twice.
Powers: TypeAlias = tuple[tuple[str, Rational], ...]

#: No power of a sum is larger: of rules like (L + 1)**100 nothing comes that anybody reads.
MAX_POWER = 64


class Polynomial:
    """A sum of products of powers, each with an exact coefficient; none of these is 0.

    Attributes:
        terms: each product with its coefficient.

    >>> L, d = Polynomial.named("L"), Polynomial.named("d_model")
    >>> 12 * L * d**2 + d / 2
    12*L*d_model^2 + 1/2*d_model
    >>> (12 * L * d**2).value({"L": 64, "d_model": 8192})
    51539607552
    """

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[Powers, Rational]) -> None:
        self.terms: dict[Powers, Rational] = {p: c for p, c in terms.items() if c}

    @classmethod
    def named(cls, name: str) -> Polynomial:
        """A name alone."""
        return cls({((name, 1),): 1})

    @classmethod
    def of(cls, value: object) -> Polynomial:
        """A number as a constant; a polynomial as it is.

        Raises:
            NotDerivable: it is neither.
        """
        if isinstance(value, Polynomial):
            return value
        if isinstance(value, (int, Fraction)):
            return cls({(): value})
        raise NotDerivable(f"{type(value).__name__} is no exact number")

    def _made(self, terms: Mapping[Powers, Rational]) -> Self:
        """Another of the same kind."""
        return type(self)(terms)

    # --- arithmetic -------------------------------------------------------------------------------

    def __add__(self, other: Polynomial | Rational) -> Self:
        terms: dict[Powers, Rational] = dict(self.terms)
        for powers, value in _terms(other):
            terms[powers] = terms.get(powers, 0) + value
        return self._made(terms)

    __radd__ = __add__

    def __neg__(self) -> Self:
        return self._made({powers: -value for powers, value in self.terms.items()})

    def __sub__(self, other: Polynomial | Rational) -> Self:
        return self + -other

    def __rsub__(self, other: Rational) -> Self:
        return -self + other

    def __mul__(self, other: Polynomial | Rational) -> Self:
        terms: dict[Powers, Rational] = {}
        for b, y in _terms(other):
            for a, x in self.terms.items():
                powers = joined(a, b)
                terms[powers] = terms.get(powers, 0) + x * y
        return self._made(terms)

    __rmul__ = __mul__

    def __pow__(self, exponent: int) -> Self:
        """A whole power; below 0 of a single product alone."""
        if not isinstance(exponent, int) or abs(exponent) > MAX_POWER:
            raise NotDerivable(f"({self})**{exponent} is no sum of whole powers")
        if exponent < 0:
            return 1 / self**-exponent
        result = self._made({(): 1})
        for _ in range(exponent):
            result = result * self
        return result

    def __truediv__(self, other: Polynomial | Rational) -> Self:
        below = list(_terms(other))
        if len(below) != 1:
            raise (NotDerivable("a division by a sum of dims is no sum of powers") if below
                   else ZeroDivisionError("division by zero"))
        (powers, value), = below
        return self.divided(powers, value)

    def __rtruediv__(self, other: Rational) -> Self:
        return self._made({(): other}) / self

    def divided(self, powers: Powers, number: Rational = 1) -> Self:
        """The terms over a product and a number."""
        turned = tuple((name, -e) for name, e in powers)
        return self._made({joined(p, turned): over(c, number) for p, c in self.terms.items()})

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (int, Fraction)):
            return self.terms == ({(): other} if other else {})
        return isinstance(other, Polynomial) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __bool__(self) -> bool:
        raise TypeError("a polynomial has no truth of its own: look at its terms")

    def __repr__(self) -> str:
        return " + ".join(map(_shown, sorted(self.terms.items()))) or "0"

    # --- parts ------------------------------------------------------------------------------------

    @property
    def names(self) -> frozenset[str]:
        """The names in it."""
        return frozenset(name for powers in self.terms for name, _ in powers)

    def degree(self, name: str) -> Rational:
        """The highest power of a name; 0 where there is none above it."""
        return max((dict(powers).get(name, 0) for powers in self.terms), default=0)

    def by(self, name: str) -> dict[Rational, Polynomial]:
        """What stands before each power of a name, free of it.

        >>> L, d = Polynomial.named("L"), Polynomial.named("d_model")
        >>> (3 * L * d + 2 * L + d).by("L")
        {1: 2 + 3*d_model, 0: d_model}
        """
        found: dict[Rational, dict[Powers, Rational]] = {}
        for powers, value in self.terms.items():
            exponent = dict(powers).get(name, 0)
            rest = tuple(power for power in powers if power[0] != name)
            found.setdefault(exponent, {})[rest] = value
        return {exponent: Polynomial(terms) for exponent, terms in found.items()}

    def numbers(self, name: str) -> dict[Rational, Rational]:
        """The coefficients of a polynomial in one name, by exponent.

        Raises:
            NotDerivable: there are other names in it.
        """
        if self.names - {name}:
            raise NotDerivable(f"{self} is no polynomial in {name} alone")
        return {sum((e for _, e in powers), start=0): value
                for powers, value in self.terms.items()}

    def split(self) -> tuple[Self, Self]:
        """What adds, and what is subtracted."""
        return (self._made({p: c for p, c in self.terms.items() if c > 0}),
                self._made({p: -c for p, c in self.terms.items() if c < 0}))

    def absolute(self) -> Self:
        """The same with every coefficient above 0: a bound where names are."""
        return self._made({p: -c if c < 0 else c for p, c in self.terms.items()})

    def derivative(self, name: str) -> Self:
        """The derivative by a name, by the power rule."""
        found: dict[Powers, Rational] = {}
        for powers, value in self.terms.items():
            if exponent := dict(powers).get(name, 0):
                found[joined(powers, ((name, -1),))] = value * exponent
        return self._made(found)

    def common(self) -> Powers:
        """The powers that all terms share; one below the line only where all have it."""
        first, *others = self.terms or [()]
        shared = dict(first)
        for powers in others:
            if not shared:
                break
            own = dict(powers)
            shared = {name: power for name in shared.keys() & own.keys()
                      if (power := _shared(shared[name], own[name]))}
        return _sorted(shared.items())

    def content(self) -> Rational:
        """The largest number of which all coefficients are whole multiples."""
        return content(self.terms.values())

    def cleared(self) -> tuple[Polynomial, int, Powers]:
        """A polynomial with whole coefficients and no power below 0, and what it is to be divided
        by: a number and a product of names.

        >>> w, s = Polynomial.named("w"), Polynomial.named("s")
        >>> (w / s / 2).cleared()
        (w, 2, (('s', 1),))
        """
        under: dict[str, Rational] = {}
        for powers in self.terms:
            for name, exponent in powers:
                under[name] = max(under.get(name, 0), -exponent)
        divisor = _sorted((name, power) for name, power in under.items() if power > 0)
        scale = math.lcm(*(value.denominator for value in self.terms.values()))
        return Polynomial({joined(powers, divisor): int(value * scale)
                           for powers, value in self.terms.items()}), scale, divisor

    # --- values -----------------------------------------------------------------------------------

    def value(self, values: Mapping[str, Any]) -> Any:
        """The value where each name has one: exact over whole numbers and fractions, point by
        point over arrays, a polynomial over polynomials.

        Raises:
            KeyError: a name has none.
        """
        total: Any = 0
        for powers, coefficient in self.terms.items():
            product: Any = coefficient
            for name, exponent in powers:
                product = _times(product, values[name], exponent)
            total = total + product
        return total


#: The sum of no terms.
NOTHING = Polynomial({})


def _terms(value: Polynomial | Rational) -> Iterable[tuple[Powers, Rational]]:
    if isinstance(value, Polynomial):
        return value.terms.items()
    if isinstance(value, (int, Fraction)):
        return (((), value),) if value else ()
    raise TypeError(f"{type(value).__name__} is no exact number")


def _times(product: Any, value: Any, exponent: Rational) -> Any:
    """A number times a power of another."""
    if exponent == 1:
        return product * value
    return product * value**exponent if exponent > 0 else over(product, value**-exponent)


def _sorted(powers: Iterable[tuple[str, Rational]]) -> Powers:
    return tuple(sorted([(name, e if type(e) is int else whole(e)) for name, e in powers if e]))


def content(numbers: Iterable[Rational]) -> Rational:
    """The largest number of which some numbers are whole multiples.

    >>> content([Fraction(3, 2), 6])
    Fraction(3, 2)
    """
    values = list(numbers)
    return whole(Fraction(math.gcd(*(value.numerator for value in values)),
                          math.lcm(*(value.denominator for value in values))))


def joined(first: Powers, second: Powers) -> Powers:
    """The product of two products.

    >>> joined((("L", 1),), (("L", 1), ("V", -1)))
    (('L', 2), ('V', -1))
    """
    if not first or not second:
        return first or second
    powers = dict(first)
    for name, exponent in second:
        powers[name] = powers.get(name, 0) + exponent
    return _sorted(powers.items())


def _shared(first: Rational, second: Rational) -> Rational:
    """The power that two terms share; a denominator only where both have it."""
    if first > 0 and second > 0:
        return min(first, second)
    return max(first, second) if first < 0 and second < 0 else 0


def _shown(term: tuple[Powers, Rational]) -> str:
    powers, value = term
    factors: Iterator[str] = (name if e == 1 else f"{name}^{e}" for name, e in powers)
    return "*".join([*([str(value)] if value != 1 or not powers else []), *factors])
