"""The one maker of SymPy symbols, and the way between trees and SymPy expressions.

Symbols are positive (never ``integer=True``: ``solve`` then answers nothing, silently), and each
name has one symbol, so that equal names cancel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any, TypeAlias

import sympy as sp

from symparam import expression as ex
from symparam.arithmetic import MODES
from symparam.constraints import Equation
from symparam.dims import order_key

#: SymPy is untyped: its expressions are Any from here on.
SymExpr: TypeAlias = Any

#: A monomial: symbols (or other bases) with their exponents, in written order.
Monomial: TypeAlias = tuple[tuple[SymExpr, SymExpr], ...]


@cache
def symbol(name: str) -> SymExpr:
    """The symbol of a name."""
    return sp.Symbol(name, positive=True)


@cache
def tag(path: str) -> SymExpr:
    """The tag of a matrix: a symbol that no dim can have the name of."""
    return sp.Symbol(f"w[{path}]", positive=True)


def right_side(equation: Equation) -> SymExpr:
    """What an equation replaces its dim by, rounded as it says."""
    value, rounding = to_sympy(equation.expr), equation.rounding
    if rounding is None:
        return value
    return rounding.multiple * _ROUNDINGS[rounding.mode](sp.expand(value / rounding.multiple))


def namespace(names: Iterable[str]) -> dict[str, SymExpr]:
    """Dims as symbols, for a ledger over SymPy."""
    return {name: symbol(name) for name in names}


def to_sympy(expr: ex.Expr, definitions: Mapping[str, SymExpr] | None = None) -> SymExpr:
    """A tree as a SymPy expression; ``definitions`` stand in for symbols of their names."""
    names = {name: symbol(name) for name in ex.symbols_in(expr)}
    return exact(ex.evaluate(_rationals(expr), {**_ROUNDINGS, **names, **(definitions or {})}))


#: Rounding to a whole number has no algebra: a function of which nothing is known.
_ROUNDINGS = {mode: sp.Function(mode) for mode in MODES}


def exact(value: Any) -> SymExpr:
    """A Python number as SymPy's; anything of SymPy as it is."""
    if isinstance(value, (int, Fraction)):
        return sp.Rational(value.numerator, value.denominator)
    return value


def _rationals(expr: ex.Expr) -> ex.Expr:
    """The tree with fractions as quotients, which SymPy divides exactly."""
    match expr:
        case ex.Num(value) if isinstance(value, Fraction):
            return ex.Num(sp.Rational(value.numerator, value.denominator))
        case ex.Num(value):
            return ex.Num(sp.Integer(value))
        case ex.Sum(terms):
            return ex.Sum(tuple(map(_rationals, terms)))
        case ex.Product(factors):
            return ex.Product(tuple(map(_rationals, factors)))
        case ex.Quotient(top, bottom):
            return ex.Quotient(_rationals(top), _rationals(bottom))
        case ex.Power(base, exponent):
            return ex.Power(_rationals(base), exact(exponent))
        case ex.Whole(inner, mode):
            return ex.Whole(_rationals(inner), mode)
    return expr


def monomials(expr: SymExpr) -> dict[Monomial, SymExpr]:
    """An expanded expression as monomials with rational coefficients.

    >>> x = symbol("L")
    >>> monomials(2 * x * (x + 1)) == {((x, 2),): 2, ((x, 1),): 2}
    True
    """
    found: dict[Monomial, SymExpr] = {}
    for term in sp.Add.make_args(sp.expand(expr)):
        coefficient, rest = term.as_coeff_Mul()
        powers = [] if rest == 1 else [factor.as_base_exp() for factor in sp.Mul.make_args(rest)]
        key = tuple(sorted(powers, key=lambda p: _base_key(p[0])))
        found[key] = found.get(key, sp.Integer(0)) + coefficient
    return {key: c for key, c in found.items() if c != 0}


def _base_key(base: SymExpr) -> tuple[int, int, str]:
    if base.is_Symbol:
        return (0, *order_key(base.name))
    return (1, 0, str(base))


def degree(monomial: Monomial, of: SymExpr | None = None) -> SymExpr:
    """The degree of a monomial, in one symbol or in all together."""
    return sum(e for base, e in monomial if of is None or base == of)


def monomial_key(monomial: Monomial) -> tuple[Any, ...]:
    """A sort key: high degree first, then in the order in which symbols are written."""
    return (-degree(monomial), [(_base_key(b), -e) for b, e in monomial])


def expression_of(monomial: Monomial, coefficient: SymExpr = 1) -> SymExpr:
    """A monomial as a SymPy expression."""
    return coefficient * sp.Mul(*(base**e for base, e in monomial))


def monomial_tree(monomial: Monomial, coefficient: SymExpr = 1,
                  extra: ex.Expr | None = None) -> ex.Expr:
    """A monomial as it is written: number, symbols, then an extra factor; below the line what
    has a negative exponent."""
    coefficient = sp.Rational(coefficient)
    over = [_power(base, e) for base, e in monomial if e > 0]
    under = [_power(base, -e) for base, e in monomial if e < 0]
    over += [] if extra is None else [extra]
    number = Fraction(int(coefficient.p), int(coefficient.q))
    if not under:
        return ex.product_of(ex.Num(ex.whole(number)), *over)
    top = ex.product_of(ex.Num(number.numerator), *over)
    bottom = ex.product_of(ex.Num(number.denominator), *under)
    return ex.Quotient(top, bottom)


def _power(base: SymExpr, exponent: SymExpr) -> ex.Expr:
    inner = from_sympy(base)
    if exponent == 1:
        return inner
    return ex.Power(inner, ex.whole(Fraction(int(exponent.p), int(exponent.q))))


def from_sympy(expr: SymExpr, key: Callable[[Monomial], Any] = monomial_key) -> ex.Expr:
    """A SymPy expression as a tree, expanded and in written order."""
    if expr.is_Symbol:
        return ex.Sym(expr.name)
    if expr.is_Rational:
        return ex.Num(ex.whole(Fraction(int(expr.p), int(expr.q))))
    if expr.is_Function:
        return whole_tree(expr.args[0], expr.func.__name__)
    terms = monomials(expr)
    return ex.sum_of(*(monomial_tree(m, terms[m]) for m in sorted(terms, key=key)))


def whole_tree(expr: SymExpr, mode: str) -> ex.Expr:
    """An expression rounded to a whole number, a fraction of one term over its denominator.

    >>> str(whole_tree(symbol("d_model") / 96, "up"))
    'up(d_model/96)'
    """
    terms = monomials(expr)
    if len(terms) == 1:
        (monomial, coefficient), = terms.items()
        if coefficient.q != 1 and all(e > 0 for _, e in monomial):
            top = monomial_tree(monomial, coefficient.p)
            return ex.Whole(ex.Quotient(top, ex.Num(int(coefficient.q))), mode)
    return ex.Whole(from_sympy(expr), mode)


def common_factor(terms: Mapping[Monomial, SymExpr]) -> tuple[Monomial, SymExpr]:
    """The largest monomial and number that divide all terms."""
    keys = list(terms)
    shared = dict(keys[0])
    for key in keys[1:]:
        own = dict(key)
        shared = {base: _shared(shared.get(base, 0), own.get(base, 0)) for base in
                  {*shared, *own}}
    monomial = tuple(sorted(((b, e) for b, e in shared.items() if e != 0),
                            key=lambda p: _base_key(p[0])))
    number = sp.Integer(0)
    for coefficient in terms.values():
        number = sp.gcd(number, coefficient)
    if all(c < 0 for c in terms.values()):
        number = -number
    return monomial, number


def _shared(first: SymExpr, second: SymExpr) -> SymExpr:
    """The power of a base that two terms share; a denominator only where both have it."""
    if first > 0 and second > 0:
        return min(first, second)
    return max(first, second) if first < 0 and second < 0 else 0


def factored(terms: Mapping[Monomial, SymExpr]) -> ex.Expr:
    """Terms with their common factor in front: ``2*d_model*d_head*(n_heads + n_kv)``.

    >>> d, h, k = symbol("d_model"), symbol("n_heads"), symbol("n_kv")
    >>> str(factored(monomials(2 * d * h + 2 * d * k)))
    '2*d_model*(n_heads + n_kv)'
    """
    if not terms:
        return ex.Num(0)
    if len(terms) == 1:
        (monomial, coefficient), = terms.items()
        return monomial_tree(monomial, coefficient)
    front, number = common_factor(terms)
    divisor = expression_of(front, number)
    inner = from_sympy(sp.expand(sp.Add(*(expression_of(m, c) for m, c in terms.items()))
                                 / divisor))
    if divisor == 1:
        return inner
    return monomial_tree(front, number, inner)


def products(expr: SymExpr) -> ex.Expr:
    """An expression as a product of sums where it is one: ``3*L*(n_experts - top_k)``.

    >>> n, k, x = symbol("n_experts"), symbol("top_k"), symbol("L")
    >>> str(products(3 * x * n - 3 * x * k))
    '3*L*(n_experts - top_k)'
    """
    if not expr.is_polynomial(*expr.free_symbols):
        return factored(monomials(expr))
    number, found = sp.factor_list(expr)
    sums = [(base, power) for base, power in found if base.is_Add]
    if not sums or (expr.is_Add and len(found) == 1 and number == 1):
        return factored(monomials(expr))
    front = tuple(sorted(((b, sp.Integer(e)) for b, e in found if not b.is_Add),
                         key=lambda pair: _base_key(pair[0])))
    inner = []
    for base, power in sorted(sums, key=lambda pair: str(pair[0])):
        tree = from_sympy(base)
        if isinstance(tree, ex.Sum) and ex.negated(tree.terms[0]) is not None and power == 1:
            tree, number = from_sympy(-base), -number
        inner.append(tree if power == 1 else ex.Power(tree, int(power)))
    outer = monomial_tree(front, number)
    return ex.product_of(*(outer.factors if isinstance(outer, ex.Product) else (outer,)), *inner)


def over(expr: SymExpr, factor: SymExpr) -> SymExpr:
    """An expression divided by one of its factors, expanded."""
    if factor.is_Symbol or factor.is_Number:
        return sp.expand(expr / factor)
    return sp.expand(sp.cancel(expr / factor))


def is_zero(expr: SymExpr) -> bool:
    """Whether an expression is identically zero: expanded, and over a common denominator."""
    expanded = sp.expand(expr)
    return bool(expanded == 0 or sp.cancel(sp.together(expanded)) == 0)
