"""Expressions as they are written: an ordered tree of numbers, symbols, sums and products.

The tree keeps the order and grouping in which a person would write a line; it does no algebra
(SymPy does, see :mod:`symparam.symbols`). It supports ``+ - * / **``, so it can stand for a dim
when a component lists its shapes, and it can be evaluated over any kind of number.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import reduce
from typing import Any, TypeAlias

from symparam.arithmetic import EXTREMES, Rounding, bounded, exact_power
from symparam.dataclass import dataclass
from symparam.errors import MissingDims

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
    kept = tuple(f for f in factors if f != Num(1))
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


def children(expr: Expr) -> tuple[Expr, ...]:
    """The nodes directly below one."""
    match expr:
        case Sum(terms):
            return terms
        case Product(factors):
            return factors
        case Quotient(top, bottom):
            return top, bottom
        case Power(inner, _) | Whole(inner, _):
            return (inner,)
        case Extreme(_, parts):
            return parts
    return ()


def walk(expr: Expr) -> Iterator[Expr]:
    """The node and all below it."""
    yield expr
    for child in children(expr):
        yield from walk(child)


def symbols_in(expr: Expr) -> list[str]:
    """The names of the symbols in it, each once, in order of appearance."""
    return list(dict.fromkeys(e.name for e in walk(expr) if isinstance(e, Sym)))


def chooses(expr: Expr) -> bool:
    """Whether there is a ``max`` or a ``min`` in it."""
    return any(isinstance(each, Extreme) for each in walk(expr))


def expanded_terms(expr: Expr) -> int:
    """How many terms the expression has at most once it is multiplied out.

    >>> expanded_terms((Sym("L") + 1) * (Sym("V") + Sym("d_model") + 1)), expanded_terms(
    ...     (Sym("L") + Sym("V")) ** 3)
    (6, 4)
    """
    match expr:
        case Sum(terms):
            others = [t for t in terms if not isinstance(t, Num)]  # numbers join into one
            return sum(map(expanded_terms, others)) + (len(others) < len(terms))
        case Product(factors):
            return math.prod(map(expanded_terms, factors))
        case Quotient(top, bottom):
            return expanded_terms(top) * expanded_terms(bottom)
        case Power(base, exponent):
            inner = expanded_terms(base)
            return math.comb(abs(math.ceil(exponent)) + inner - 1, inner - 1)
    return 1


def substitute(expr: Expr, values: Mapping[str, Expr]) -> Expr:
    """The same tree with symbols replaced; nothing is worked out.

    >>> str(substitute(Num(2) * Sym("V") * Sym("d_model"), {"V": Num(32000)}))
    '2*32000*d_model'
    """
    match expr:
        case Sym(name):
            return values.get(name, expr)
        case Sum(terms):
            return Sum(tuple(substitute(t, values) for t in terms))
        case Product(factors):
            return Product(tuple(substitute(f, values) for f in factors))
        case Quotient(top, bottom):
            return Quotient(substitute(top, values), substitute(bottom, values))
        case Power(base, exponent):
            return Power(substitute(base, values), exponent)
        case Whole(inner, mode):
            return Whole(substitute(inner, values), mode)
        case Extreme(mode, parts):
            return Extreme(mode, tuple(substitute(p, values) for p in parts))
    return expr


def evaluate(expr: Expr, values: Mapping[str, Any]) -> Any:
    """The value over any kind of number: integers and fractions exactly, arrays, SymPy.

    Rounding and the larger of two are exact on integers and fractions; for other numbers ``values``
    has a function under the name of its mode (``up``, ``max``).

    Raises:
        MissingDims: a symbol has no value.

    >>> evaluate(Num(8) / 3 * Sym("d_model"), {"d_model": 4096})
    Fraction(32768, 3)
    """
    match expr:
        case Num(value):
            return value
        case Sym(name):
            if name not in values:
                raise MissingDims([name], "the expression")
            return values[name]
        case Sum(terms):
            return _normal(sum(evaluate(t, values) for t in terms))
        case Product(factors):
            result: Any = 1
            for factor in factors:
                result = bounded(result * evaluate(factor, values))
            return _normal(result)
        case Quotient(top, bottom):
            upper, lower = evaluate(top, values), evaluate(bottom, values)
            if isinstance(upper, int) and isinstance(lower, int):
                return whole(Fraction(upper, lower))
            return _normal(upper / lower)
        case Power(base, exponent):
            return _normal(exact_power(evaluate(base, values), exponent))
        case Whole(inner, mode):
            value = evaluate(inner, values)
            return values[mode](value) if mode in values else Rounding(mode, 1).apply(value)
        case Extreme(mode, parts):
            found = [evaluate(part, values) for part in parts]
            return values[mode](*found) if mode in values else _normal(reduce(
                EXTREMES[mode], found))
    raise TypeError(expr)


def _normal(value: Any) -> Any:
    return whole(value) if isinstance(value, Fraction) else value


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

    def extreme(self, parts: list[str], mode: str) -> str:
        return f"{mode}({', '.join(parts)})"

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
            case Extreme(mode, parts):
                return self.extreme([self._write(part, _SUM) for part in parts], mode), _ATOM
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
