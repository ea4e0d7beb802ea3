"""Terms as exact expressions over dims, as the closed grammar writes and reads them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TypeAlias

from symparam import expression as ex
from symparam.errors import SymparamError
from symparam.tracing.recording.terms import MAX_EXPONENT, Number, Path, Term

Symbol: TypeAlias = Callable[[Path], ex.Expr | None]
Divides: TypeAlias = Callable[[Term, Term], bool]


def _never(_top: Term, _bottom: Term) -> bool:
    return False


def expression(term: Term, symbol: Symbol, divides: Divides = _never) -> ex.Expr | None:
    """The exact expression that a term stands for; None where the grammar has none.

    Args:
        term: what is written.
        symbol: what stands for a key: a symbol, or the number that it is held at.
        divides: whether the code refuses a remainder of this division: ``//`` is then exact.

    >>> str(expression(("//", ("*", ("n", 8), ("k", ("d",))), ("n", 3)), lambda p: ex.Sym(p[0])))
    'down(8*d/3)'
    """
    try:
        return _Writing(symbol, divides).write(term)
    except _Unwritten:
        return None


class _Unwritten(Exception):
    """The grammar has nothing for a term."""


class _Writing:
    """Writes terms as expressions."""

    def __init__(self, symbol: Symbol, divides: Divides) -> None:
        self.symbol, self.divides = symbol, divides

    def write(self, term: Term) -> ex.Expr:
        """The expression of a term."""
        match term:
            case ("n", value):
                return ex.Num(exact(value))
            case ("k", path):
                found = self.symbol(path)
                if found is None:
                    raise _Unwritten
                return found
            case ("int" | "floor", ("/", top, bottom)) | ("//", top, bottom):
                return self.floor(top, bottom)
            case ("int" | "floor", inner):
                return brought(self.write(inner), "down")
            case ("ceil", inner):
                return brought(self.write(inner), "up")
            case ("round", inner):
                return to_even(self.write(inner))
            case ("+", a, b):
                return added(self.write(a), self.write(b))
            case ("-", a, b):
                return added(self.write(a), -self.write(b))
            case ("*", a, b):
                return times(self.write(a), self.write(b))
            case ("/", a, b):
                return over(self.write(a), self.write(b))
            case ("max" | "min" as mode, a, b):
                return extreme(mode, self.write(a), self.write(b))
            case ("%", a, b):
                return added(self.write(a), -times(self.write(b), self.floor(a, b)))
            case ("**", a, ("n", int() as power)) if 0 < power <= MAX_EXPONENT:
                base = self.write(a)
                return ex.Num(base.value**power) if isinstance(base, ex.Num) else base**power
        raise _Unwritten

    def floor(self, top: Term, bottom: Term) -> ex.Expr:
        """A division whose remainder is dropped, or cannot be."""
        raised = _raised(top, bottom)
        if raised is not None:
            return brought(over(self.write(raised), self.write(bottom)), "up")
        found = over(self.write(top), self.write(bottom))
        return found if self.divides(top, bottom) else brought(found, "down")


def _raised(top: Term, bottom: Term) -> Term | None:
    """``x`` of ``(x + m - 1) // m``, which is x/m rounded up where both are whole; None of any
    other division."""
    match top:
        case ("-", ("+", x, m), ("n", 1)) | ("+", x, ("-", m, ("n", 1))) if m == bottom:
            pass
        case ("+", x, ("n", int() as less)) if bottom == ("n", less + 1):
            pass
        case _:
            return None
    return x if _integral(x) and _integral(bottom) else None


def _integral(term: Term) -> bool:
    """Whether no division or root can leave a fraction in a term."""
    if term[0] == "n":
        return isinstance(term[1], int)
    if term[0] in ("/", "**"):
        return False
    return term[0] not in ("+", "-", "*", "%", "max", "min") or all(map(_integral, term[1:]))


def exact(value: Number) -> ex.Rational:
    """A number as an integer or a fraction: of a float, the simplest that has this float.

    >>> exact(4.0), exact(0.1), exact(2 / 3), exact(1 / 123456789), exact(12345 / 678901)
    (4, Fraction(1, 10), Fraction(2, 3), Fraction(1, 123456789), Fraction(12345, 678901))
    """
    if isinstance(value, int):
        return int(value)
    if not math.isfinite(value):
        raise _Unwritten
    for bound in (1000, 10**6, 10**12):
        found = Fraction(value).limit_denominator(bound)
        if float(found) == value:
            return ex.whole(found)
    raise _Unwritten


def integral(expr: ex.Expr) -> bool:
    """Whether it is a whole number for whole dims, whatever they are."""
    match expr:
        case ex.Num(value):
            return isinstance(value, int)
        case ex.Sym() | ex.Whole():
            return True
        case ex.Sum() | ex.Product() | ex.Extreme():
            return all(map(integral, ex.children(expr)))
        case ex.Power(base, exponent):
            return isinstance(exponent, int) and exponent >= 0 and integral(base)
    return False


def brought(expr: ex.Expr, mode: str) -> ex.Expr:
    """An expression brought to a whole number, where it need not be one.

    What is negative is rounded the other way as what it is without its sign: ``-(-x // m)`` is x/m
    rounded up, and no dim stands for a number below 0.

    >>> str(times(ex.Num(-64), brought(over(ex.Num(-8) * ex.Sym("d"), ex.Num(192)), "down")))
    '64*up(d/24)'
    """
    if integral(expr):
        return expr
    if mode in _OPPOSITE and _falls(expr):
        return negated(brought(negated(expr), _OPPOSITE[mode]))
    if not ex.symbols_in(expr):
        value = ex.evaluate(ex.Whole(expr, mode), {})
        return ex.Num(value)
    return ex.Whole(expr, mode)


_OPPOSITE = {"down": "up", "up": "down"}


def _falls(expr: ex.Expr) -> bool:
    """Whether every term has a minus sign before it."""
    match expr:
        case ex.Num(value):
            return value < 0
        case ex.Sum(terms):
            return all(map(_falls, terms))
        case ex.Product(factors):
            return isinstance(factors[0], ex.Num) and factors[0].value < 0
        case ex.Quotient(top, _):
            return _falls(top)
    return False


def negated(expr: ex.Expr) -> ex.Expr:
    """An expression with the other sign, term by term."""
    match expr:
        case ex.Sum(terms):
            return ex.sum_of(*map(negated, terms))
        case ex.Quotient(top, bottom):
            return over(negated(top), bottom)
    return times(ex.Num(-1), expr)


def to_even(expr: ex.Expr) -> ex.Expr:
    """An expression rounded as Python's ``round`` does it: halves go to the even number.

    ``round(x)`` is ``up(x/2 - 1/4) + down(x/2 + 1/4)``; where no half can come, it is the nearest.

    >>> d = ex.Sym("d")
    >>> str(to_even(over(ex.Num(8) * d, ex.Num(3)))), str(to_even(over(d, ex.Num(2))))
    ('nearest(8*d/3)', 'up(d/4 - 1/4) + down(d/4 + 1/4)')
    >>> [ex.evaluate(to_even(over(d, ex.Num(2))), {"d": n}) for n in (1, 3, 5, 7, 8)]
    [0, 2, 2, 4, 4]
    """
    if _without_halves(expr):
        return brought(expr, "nearest")
    quarter = ex.Num(Fraction(1, 4))
    half = over(expr.top, times(ex.Num(2), expr.bottom)) if isinstance(
        expr, ex.Quotient) else over(expr, ex.Num(2))
    return added(brought(added(half, -quarter), "up"), brought(added(half, quarter), "down"))


def _without_halves(expr: ex.Expr) -> bool:
    """Whether its denominator is odd, whatever whole numbers the dims are."""
    match expr:
        case ex.Num(value):
            return Fraction(value).denominator % 2 == 1
        case ex.Quotient(top, ex.Num(value)):
            return _without_halves(top) and Fraction(value).numerator % 2 == 1
        case ex.Sum() | ex.Product() | ex.Extreme():
            return all(map(_without_halves, ex.children(expr)))
    return integral(expr)


def added(left: ex.Expr, right: ex.Expr) -> ex.Expr:
    """A sum, its numbers joined at the end."""
    terms = [t for e in (left, right) for t in (e.terms if isinstance(e, ex.Sum) else (e,))]
    constant = sum((t.value for t in terms if isinstance(t, ex.Num)), start=Fraction(0))
    kept: list[ex.Expr] = [t for t in terms if not isinstance(t, ex.Num)]
    if constant:
        kept.append(ex.Num(ex.whole(constant)))
    return ex.sum_of(*kept)


def times(left: ex.Expr, right: ex.Expr) -> ex.Expr:
    """A product, its numbers joined in front."""
    factors = [*ex.factors_of(left), *ex.factors_of(right)]
    constant = math.prod((f.value for f in factors if isinstance(f, ex.Num)), start=Fraction(1))
    kept = [f for f in factors if not isinstance(f, ex.Num)]
    if constant == 0:
        return ex.Num(0)
    return ex.product_of(ex.Num(ex.whole(constant)), *kept)


def extreme(mode: str, left: ex.Expr, right: ex.Expr) -> ex.Expr:
    """The larger or the smaller of two, joined with what is one already; equals are one.

    >>> n = ex.Sym("n")
    >>> print(extreme("max", extreme("max", ex.Num(1), n), ex.Num(8)))
    max(n, 8)
    """
    parts = dict.fromkeys(p for e in (left, right) for p in (
        e.parts if isinstance(e, ex.Extreme) and e.mode == mode else (e,)))
    numbers = [p for p in parts if isinstance(p, ex.Num)]
    if len(numbers) > 1:
        kept = (max if mode == "max" else min)(numbers, key=lambda p: p.value)
        parts = dict.fromkeys(p for p in parts if p not in numbers or p == kept)
    return ex.Extreme(mode, tuple(parts)) if len(parts) > 1 else next(iter(parts))


def over(top: ex.Expr, bottom: ex.Expr) -> ex.Expr:
    """A quotient, without what stands on both sides."""
    if isinstance(bottom, ex.Num):
        if bottom.value == 0:
            raise _Unwritten
        if isinstance(top, ex.Num):
            return ex.Num(ex.whole(Fraction(top.value) / Fraction(bottom.value)))
        if bottom.value == 1:
            return top
        if isinstance(top, ex.Product) and isinstance(first := top.factors[0], ex.Num):
            share = Fraction(first.value) / Fraction(bottom.value)
            made = times(ex.Num(ex.whole(Fraction(share.numerator))),
                         ex.product_of(*top.factors[1:]))
            return made if share.denominator == 1 else ex.Quotient(made, ex.Num(share.denominator))
        if isinstance(bottom.value, Fraction):
            return over(times(ex.Num(bottom.value.denominator), top),
                        ex.Num(bottom.value.numerator))
    factors = list(ex.factors_of(top))
    if bottom in factors:
        factors.remove(bottom)
        return ex.product_of(*factors)
    return ex.Quotient(top, bottom)


def holds(expr: ex.Expr, named: Mapping[str, int], expected: int) -> bool:
    """Whether an expression has a value at a point, exactly."""
    try:
        return bool(ex.evaluate(expr, named) == expected)
    except (SymparamError, ArithmeticError, ValueError):
        return False
