"""Shapes that are no polynomial: each quotient or rounding in them becomes a dim with an equation.

A ledger lists shapes with ``+`` and ``*`` alone, so that one list is read over any numbers.
``multiple*up(8/3*d_model/multiple)`` is therefore a dim of its own, worked out as the module does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from fractions import Fraction
from math import gcd, prod

from symparam import expression as ex
from symparam.constraints import Equation, Standing
from symparam.dataclass import dataclass
from symparam.dims import Dim, describe

WORKED_OUT = "worked out by the module"


def is_polynomial(expr: ex.Expr) -> bool:
    """Whether an expression has whole coefficients and powers, and no quotient or rounding.

    >>> d = ex.Sym("d_model")
    >>> is_polynomial(2 * d * d + 1), is_polynomial(d / 2), is_polynomial(ex.Num(8) / 3 * d)
    (True, False, False)
    """
    match expr:
        case ex.Num(value):
            return isinstance(value, int)
        case ex.Power(_, exponent) if not isinstance(exponent, int) or exponent < 0:
            return False
        case ex.Quotient() | ex.Whole() | ex.Extreme():
            return False
    return all(map(is_polynomial, ex.children(expr)))


#: What a head's width is worked out as.
_SPLIT = ex.Sym("d_model") / ex.Sym("n_heads")
_HEAD_WIDTHS = (_SPLIT, ex.Whole(_SPLIT, "down"))


@dataclass(frozen=True)
class _Before:
    """What stands before what is rounded: a number, and other factors."""

    number: int = 1
    others: tuple[ex.Expr, ...] = ()


@dataclass
class Lifted:
    """Dims that stand for what is no polynomial.

    Attributes:
        taken: names of dims that there are already.
        rules: dims that follow from others where they are not given, to be used for their rule.
        equations: of the new dims, in the order in which they were needed.
        dims: the new dims.
    """

    taken: set[str]
    rules: Iterable[Equation] = ()
    equations: list[Equation] = field(default_factory=list)
    dims: list[Dim] = field(default_factory=list)
    _known: dict[ex.Expr, str] = field(default_factory=dict)
    _units: dict[ex.Expr, _Before] = field(default_factory=dict)
    _given: Given = field(init=False)

    def __post_init__(self) -> None:
        self._given = Given(self.taken)
        for eq in self.rules:
            if eq.rounding is None:
                self._known.setdefault(eq.expr, eq.dim)

    def note(self, extents: Iterable[ex.Expr]) -> None:
        """What stands before what is rounded: factors that all of it share belong to it.

        ``64*up(8/3*d_model/64)`` is a width; with ``n_heads*down(...)`` beside ``n_kv*down(...)``
        the width is what is rounded. What is rounded beside another is a number by itself.
        """
        for extent in extents:
            for part in extent.terms if isinstance(extent, ex.Sum) else (extent,):
                for factor in _roundings(part) if len(_roundings(part)) > 1 else ():
                    self._units[factor] = _Before()
                rounded, before = _rounded(part)
                if rounded is not None:
                    seen = self._units.get(rounded, before)
                    self._units[rounded] = _Before(gcd(seen.number, before.number), tuple(
                        factor for factor in seen.others if factor in before.others))

    def polynomial(self, expr: ex.Expr, name: str, meaning: str) -> ex.Expr:
        """An expression with a dim for each part of it that is no polynomial.

        Args:
            expr: what a shape or a number of copies is.
            name: the new dim's, unless it is taken or the field has one.
            meaning: what it counts.
        """
        if is_polynomial(expr):
            return expr
        match expr:
            case ex.Sum(terms):
                return ex.sum_of(*(self.polynomial(t, name, meaning) for t in terms))
            case ex.Product(factors) if (number := _number_of(factors)) is not None:
                others = (f for f in factors if not isinstance(f, ex.Num))
                return self.polynomial(ex.product_of(number, *others), name, meaning)
            case ex.Product() if (rounded := _rounded(expr)[0]) is not None:
                return self._before(expr, rounded, name, meaning)
            case ex.Product(factors) if len(_roundings(expr)) > 1 and all(map(_apart, factors)):
                return ex.product_of(*(self.polynomial(f, name, meaning) for f in factors))
            case ex.Product((ex.Num(int(first)), *more)):
                return ex.product_of(ex.Num(first), self.polynomial(
                    ex.product_of(*more), name, meaning))
            case ex.Product(factors) if not any(_broken(f) for f in factors):
                return ex.product_of(*(self.polynomial(f, name, meaning) for f in factors))
            case ex.Power(base, int() as exponent) if exponent > 0:
                return ex.Power(self.polynomial(base, name, meaning), exponent)
        return ex.Sym(self._dim(expr, name, meaning))

    def _before(self, expr: ex.Expr, rounded: ex.Expr, name: str, meaning: str) -> ex.Expr:
        """A dim for what is rounded and what always stands before it, times the rest."""
        before = _rounded(expr)[1]
        unit = self._units.get(rounded, _Before(1, before.others))
        left = [factor for factor in before.others if factor not in unit.others]
        times = before.number // unit.number
        own = expr if not left and times == 1 else ex.product_of(
            *([ex.Num(unit.number)] if unit.number > 1 else []), *unit.others, rounded)
        return ex.product_of(*([ex.Num(times)] if times > 1 else []),
                             *(self.polynomial(factor, name, meaning) for factor in left),
                             ex.Sym(self._dim(own, name, meaning)))

    def named(self, expr: ex.Expr, name: str, meaning: str) -> ex.Expr:
        """A dim that stands for an expression, polynomial or not."""
        return ex.Sym(self._dim(expr, name, meaning))

    def _dim(self, expr: ex.Expr, name: str, meaning: str) -> str:
        if expr not in self._known:
            name, meaning = _named(expr, name, meaning)
            name = self._given.free(name)
            self.taken.add(name)
            self._known[expr] = name
            self.dims.append(Dim(name, describe(name).latex, meaning))
            self.equations.append(Equation(name, expr, WORKED_OUT, Standing.DEFINITION))
        return self._known[expr]


def _number_of(factors: Iterable[ex.Expr]) -> ex.Num | None:
    """The product of the numbers in a product, where there are several and one is a share."""
    numbers = [factor.value for factor in factors if isinstance(factor, ex.Num)]
    shares = any(isinstance(number, Fraction) for number in numbers)
    return ex.Num(ex.whole(prod(numbers))) if shares and len(numbers) > 1 else None


def _rounded(expr: ex.Expr) -> tuple[ex.Expr | None, _Before]:
    """What is rounded in a product, and what stands before it; None where it is not one factor."""
    if isinstance(expr, ex.Power):
        expr = expr.base
    factors = ex.factors_of(expr)
    rounded = _roundings(expr)
    numbers = [factor.value for factor in factors if isinstance(factor, ex.Num)]
    others = tuple(f for f in factors if not isinstance(
        f, (ex.Whole, ex.Extreme, ex.Num)))
    number = numbers[0] if numbers else 1
    if len(rounded) != 1 or len(numbers) > 1 or not isinstance(number, int) or number < 1:
        return None, _Before()
    return rounded[0], _Before(number, others)


def _roundings(expr: ex.Expr) -> list[ex.Expr]:
    """The factors of a product that are rounded, or the larger of several."""
    factors = ex.factors_of(expr)
    return [factor for factor in factors if isinstance(factor, (ex.Whole, ex.Extreme))]


def _apart(factor: ex.Expr) -> bool:
    """Whether a factor is a number of its own, whatever stands beside it."""
    return isinstance(factor, (ex.Whole, ex.Extreme)) or is_polynomial(factor)


def _named(expr: ex.Expr, name: str, meaning: str) -> tuple[str, str]:
    """The name and meaning of a dim that stands for an expression: a head's width, or a number of
    something where it follows numbers alone."""
    parts = expr.parts if isinstance(expr, ex.Extreme) else (expr,)
    if any(part in _HEAD_WIDTHS for part in parts):
        return "d_head", describe("d_head").meaning
    symbols = ex.symbols_in(expr)
    if isinstance(expr, ex.Extreme) and symbols and name.startswith("d_") and all(
            symbol.startswith("n_") for symbol in symbols):
        return f"n_{name.removeprefix('d_')}", f"a number that {name.removeprefix('d_')} works out"
    return name, meaning


def _broken(factor: ex.Expr) -> bool:
    """Whether a factor makes sense with the others alone: a fraction, or what is rounded."""
    return isinstance(factor, (ex.Whole, ex.Extreme)) or (
        isinstance(factor, ex.Num) and isinstance(factor.value, Fraction))


class Given:
    """Names that are given out one by one, with a number behind what is taken.

    >>> names = Given({"d_ff", "d_ff_2"})
    >>> names.free("d_ff"), names.free("d_ff"), names.free("d_head")
    ('d_ff_3', 'd_ff_4', 'd_head')
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._last = dict.fromkeys(taken, 1)  # (the last number behind each)

    def free(self, name: str) -> str:
        """The name, or the next one with a number that nobody has; it is taken then."""
        number, found = self._last.get(name, 1), name
        while found in self._last:
            number += 1
            found = f"{name}_{number}"
        self._last |= {found: 1, name: number}
        return found


def put_in(expr: ex.Expr, numbers: Mapping[str, ex.Rational]) -> ex.Expr:
    """An expression with some dims as the numbers that they are held at."""
    return ex.substitute(expr, {name: ex.Num(value) for name, value in numbers.items()})
