"""The nodes of a tree, what makes larger ones of them, and what writes them as text."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TypeAlias

from symparam.dataclass import dataclass

Rational: TypeAlias = int | Fraction


class Expr:
    """The base of all nodes; arithmetic on nodes builds larger trees and simplifies nothing
    but the units 0 and 1, which ``sum`` and ``math.prod`` bring in."""

    __slots__ = ()

    def __add__(self, other: Expr | Rational) -> Expr:
        return _sum(self, node(other))

    def __radd__(self, other: Rational) -> Expr:
        return _sum(node(other), self)

    def __sub__(self, other: Expr | Rational) -> Expr:
        return _sum(self, -node(other))

    def __rsub__(self, other: Rational) -> Expr:
        return _sum(node(other), -self)

    def __mul__(self, other: Expr | Rational) -> Expr:
        return _product(self, node(other))

    def __rmul__(self, other: Rational) -> Expr:
        return _product(node(other), self)

    def __truediv__(self, other: Expr | Rational) -> Expr:
        return Quotient(self, node(other))

    def __rtruediv__(self, other: Rational) -> Expr:
        return Quotient(node(other), self)

    def __pow__(self, exponent: Rational) -> Expr:
        return Power(self, exponent)

    def __neg__(self) -> Expr:
        return _product(Num(-1), self)

    def __str__(self) -> str:
        return PLAIN.write(self)


@dataclass(frozen=True)
class Num(Expr):
    """An exact number: an ``int``, or a ``Fraction`` that is not whole."""

    value: Rational


@dataclass(frozen=True)
class Sym(Expr):
    """A symbol, by its ASCII name."""

    name: str


@dataclass(frozen=True)
class Sum(Expr):
    """Terms in the order in which they are written."""

    terms: tuple[Expr, ...]


@dataclass(frozen=True)
class Product(Expr):
    """Factors in the order in which they are written."""

    factors: tuple[Expr, ...]


@dataclass(frozen=True)
class Quotient(Expr):
    """One expression over another."""

    top: Expr
    bottom: Expr


@dataclass(frozen=True)
class Power(Expr):
    """A base to a constant rational exponent; 1/2 is a square root."""

    base: Expr
    exponent: Rational


@dataclass(frozen=True)
class Whole(Expr):
    """An expression brought to a whole number: ``nearest``, ``up`` or ``down``."""

    inner: Expr
    mode: str


@dataclass(frozen=True)
class Extreme(Expr):
    """The largest (``max``) or the smallest (``min``) of two or more expressions."""

    mode: str
    parts: tuple[Expr, ...]


@dataclass(frozen=True)
class Procedure(Expr):
    """What a procedure makes of expressions, by its name (:mod:`symparam.procedures`): nothing is
    known of it but what it gives for numbers."""

    name: str
    parts: tuple[Expr, ...]


def node(value: Expr | Rational) -> Expr:
    """A number as a node; a node as it is."""
    return value if isinstance(value, Expr) else Num(whole(value))


def whole(value: Rational) -> Rational:
    """A fraction without a denominator as an ``int``.

    >>> whole(Fraction(8, 4)), whole(Fraction(8, 3))
    (2, Fraction(8, 3))
    """
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


def _sum(left: Expr, right: Expr) -> Expr:
    if left == Num(0):
        return right
    if right == Num(0):
        return left
    return Sum((*terms_of(left), *terms_of(right)))


def _product(left: Expr, right: Expr) -> Expr:
    if left == Num(1):
        return right
    if right == Num(1):
        return left
    parts = [*factors_of(left), *factors_of(right)]
    if len(parts) > 1 and isinstance(parts[0], Num) and isinstance(parts[1], Num):
        return product_of(Num(whole(parts[0].value * parts[1].value)), *parts[2:])
    return Product(tuple(parts))


def sum_of(*terms: Expr) -> Expr:
    """The sum of terms in this order; one term alone is itself, none is 0."""
    return Sum(terms) if len(terms) > 1 else (terms[0] if terms else Num(0))


def product_of(*factors: Expr) -> Expr:
    """The product of factors in this order, without ones; none left is 1."""
    kept = tuple(f for f in factors if not (isinstance(f, Num) and f.value == 1))
    return Product(kept) if len(kept) > 1 else (kept[0] if kept else Num(1))


def terms_of(expr: Expr) -> tuple[Expr, ...]:
    """The terms of a sum; anything else as its one term."""
    return expr.terms if isinstance(expr, Sum) else (expr,)


def factors_of(expr: Expr) -> tuple[Expr, ...]:
    """The factors of a product; anything else as its one factor."""
    return expr.factors if isinstance(expr, Product) else (expr,)


def flat_product(*exprs: Expr) -> Expr:
    """The product of expressions in this order, without brackets around products."""
    return product_of(*(factor for expr in exprs for factor in factors_of(expr)))


def flat_sum(exprs: Iterable[Expr]) -> Expr:
    """The sum of expressions in this order, without brackets around sums."""
    return sum_of(*(term for expr in exprs for term in terms_of(expr)))


_SUM, _PRODUCT, _POWER, _ATOM = range(4)


@dataclass(frozen=True)
class Writer:
    """Writes a tree in one notation; precedence and signs are decided here, once.

    Subclasses say how a number, a symbol, a quotient and a power look. This one writes what
    the closed grammar reads back.
    """

    times: str = "*"
    plus: str = " + "
    minus: str = " - "

    def write(self, expr: Expr) -> str:
        """The whole expression as text."""
        return self._write(expr, _SUM)

    def factor(self, expr: Expr) -> str:
        """An expression as a factor of a product: a sum gets its brackets."""
        return self._write(expr, _PRODUCT)

    def number(self, value: Rational) -> str:
        return str(value)

    def symbol(self, name: str) -> str:
        return name

    def group(self, inner: str) -> str:
        return f"({inner})"

    def join(self, factors: list[str]) -> str:
        return self.times.join(factors)

    def quotient(self, expr: Quotient) -> str:
        return f"{self._write(expr.top, _PRODUCT)}/{self._write(expr.bottom, _POWER)}"

    def power(self, base: str, exponent: Rational) -> str:
        shown = f"({exponent})" if isinstance(exponent, Fraction) or exponent < 0 else exponent
        return f"{base}**{shown}"

    def sqrt(self, expr: Expr) -> str:
        return self.power(self._write(expr, _ATOM), Fraction(1, 2))

    def rounded(self, inner: str, mode: str) -> str:
        return f"{mode}({inner})"

    def function(self, parts: list[str], name: str) -> str:
        return f"{name}({', '.join(parts)})"

    def _write(self, expr: Expr, outer: int) -> str:
        text, level = self._bare(expr)
        return self.group(text) if level < outer else text

    def _bare(self, expr: Expr) -> tuple[str, int]:
        match expr:
            case Num(value):
                fraction = isinstance(value, Fraction)
                return self.number(value), _PRODUCT if fraction else _SUM if value < 0 else _ATOM
            case Sym(name):
                return self.symbol(name), _ATOM
            case Sum(terms):
                return self._sum(terms), _SUM
            case Product(factors):
                return self._product(factors)
            case Quotient():
                positive = negated(expr)
                if positive is not None:
                    return self.minus.strip() + self._write(positive, _PRODUCT), _SUM
                return self.quotient(expr), _PRODUCT
            case Power(base, exponent):
                if exponent == Fraction(1, 2):
                    return self.sqrt(base), _POWER
                return self.power(self._write(base, _ATOM), exponent), _POWER
            case Whole(inner, mode):
                return self.rounded(self._write(inner, _SUM), mode), _ATOM
            case Extreme(name, parts) | Procedure(name, parts):
                return self.function([self._write(part, _SUM) for part in parts], name), _ATOM
        raise TypeError(expr)

    def _sum(self, terms: tuple[Expr, ...]) -> str:
        text = self._write(terms[0], _SUM)
        for term in terms[1:]:
            positive = negated(term)
            if positive is None:
                text += self.plus + self._write(term, _PRODUCT)
            else:
                text += self.minus + self._write(positive, _PRODUCT)
        return text

    def _product(self, factors: tuple[Expr, ...]) -> tuple[str, int]:
        positive = negated(Product(factors))
        if positive is not None:
            return self.minus.strip() + self._write(positive, _PRODUCT), _SUM
        return self.join([self._nth(f, i) for i, f in enumerate(factors)]), _PRODUCT

    def _nth(self, factor: Expr, index: int) -> str:
        bare_fraction = isinstance(factor, (Num, Quotient)) and index == 0
        return self._write(factor, _PRODUCT if bare_fraction else _POWER)


def negated(term: Expr) -> Expr | None:
    """A term that begins with a negative number, made positive; None for any other.

    >>> str(negated(Num(-3) * Sym("L")))
    '3*L'
    """
    if isinstance(term, Num) and term.value < 0:
        return Num(-term.value)
    if isinstance(term, Product):
        first = negated(term.factors[0])
        return None if first is None else product_of(first, *term.factors[1:])
    if isinstance(term, Quotient):
        top = negated(term.top)
        return None if top is None else Quotient(top, term.bottom)
    return None


PLAIN = Writer()
