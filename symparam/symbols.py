"""The one maker of SymPy symbols, and the way between trees and SymPy expressions.

Symbols are positive (never ``integer=True``: ``solve`` then answers nothing, silently), and each
name has one symbol, so that equal names cancel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any, TypeAlias

import sympy as sp

from symparam import expression as ex
from symparam.arithmetic import EXTREMES, MODES
from symparam.arranged import (
    STANDS_FOR,
    by_degree,
    expanded,
    product,
)
from symparam.constraints import Equation
from symparam.errors import NotDerivable
from symparam.polynomial import Polynomial, Powers
from symparam.procedures import PROCEDURES
from symparam.renamed import moved

__getattr__ = moved(__name__)  # (``written`` and others are in symparam.bracketed)

#: SymPy is untyped: its expressions are Any from here on.
SymExpr: TypeAlias = Any

#: So many results are kept of what is asked again for the same expression in each line.
KEPT = 4096


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
    return rounding.multiple * _ROUNDINGS[rounding.mode](expand(value / rounding.multiple))


def namespace(names: Iterable[str]) -> dict[str, SymExpr]:
    """Dims as symbols, for a ledger over SymPy."""
    return {name: symbol(name) for name in names}


def to_sympy(expr: ex.Expr, definitions: Mapping[str, SymExpr] | None = None) -> SymExpr:
    """A tree as a SymPy expression; ``definitions`` stand in for symbols of their names."""
    match expr:
        case ex.Num(value):
            return exact(value)
        case ex.Sym(name):
            given = definitions.get(name) if definitions else None
            return symbol(name) if given is None else exact(given)
        case ex.Sum(terms):
            return sp.Add(*(to_sympy(term, definitions) for term in terms))
        case ex.Product(factors):
            return sp.Mul(*(to_sympy(factor, definitions) for factor in factors))
        case ex.Quotient(top, bottom):
            return to_sympy(top, definitions) / to_sympy(bottom, definitions)
        case ex.Power(base, exponent):
            return to_sympy(base, definitions) ** exact(exponent)
        case ex.Whole(inner, mode):
            return _ROUNDINGS[mode](to_sympy(inner, definitions))
        case ex.Extreme(mode, parts) | ex.Procedure(mode, parts):
            return _ROUNDINGS[mode](*(to_sympy(part, definitions) for part in parts))
    raise TypeError(expr)


#: Rounding to a whole number has no algebra: a function of which nothing is known; nor has the
#: larger of two.
_ROUNDINGS = {mode: sp.Function(mode) for mode in (*MODES, *EXTREMES, *PROCEDURES)}


def exact(value: Any) -> SymExpr:
    """A Python number as SymPy's; anything of SymPy as it is."""
    if not isinstance(value, sp.Basic) and isinstance(value, (int, Fraction)):
        return sp.Rational(value.numerator, value.denominator)
    return value


def expand(expr: SymExpr) -> SymExpr:
    """As SymPy multiplies out, which takes long to find that there is nothing to multiply out: a
    sum of products of powers of symbols is left as it is.

    >>> V, L = symbol("V"), symbol("L")
    >>> expand(2 * V * L + L * (V + 1)), expand(V / L - 1)
    (3*L*V + L, -1 + V/L)
    """
    expr = exact(expr)
    if not expr.is_Add:
        return expr if _is_plain(expr) else sp.expand(expr)
    if all(map(_is_plain, expr.args)):
        return expr
    return sp.Add(*(term if _is_plain(term) else sp.expand(term) for term in expr.args))


def _is_plain(term: SymExpr) -> bool:
    """Whether nothing in a term can be multiplied out."""
    for factor in term.args if term.is_Mul else (term,):
        bare = factor.base if factor.is_Pow and factor.exp.is_Rational else factor
        if not (bare.is_Symbol or factor.is_Rational):
            return False
    return True


@lru_cache(KEPT)
def collected(expr: SymExpr) -> Polynomial:
    """An expression expanded and collected; what is no power of a symbol (a rounded rule, a sum
    below a line) has a name that stands for it.

    Raises:
        NotDerivable: an exponent or a coefficient in it is no exact number.

    >>> collected(2 * symbol("L") * (symbol("L") + 1) / symbol("V"))
    2*L*V^-1 + 2*L^2*V^-1
    """
    found: dict[Powers, ex.Rational] = {}
    whole = expand(expr)
    for term in whole.args if whole.is_Add else (whole,):
        powers, number = _product(term)
        found[powers] = found.get(powers, 0) + number
    return Polynomial(found)


def _product(term: SymExpr) -> tuple[Powers, ex.Rational]:
    """A product's powers, and the number in front of them."""
    powers: list[tuple[str, ex.Rational]] = []
    number: ex.Rational = 1
    for factor in term.args if term.is_Mul else (term,):
        if factor.is_Symbol:
            powers.append((factor.name, 1))
        elif factor.is_Rational:
            number = rational(factor)
        else:
            base, exponent = factor.as_base_exp()
            powers.append((_named(base), rational(exponent)))
    return tuple(sorted(powers)), number


def polynomial(expr: SymExpr) -> Polynomial:
    """An expression as a polynomial in the names of its symbols.

    Raises:
        NotDerivable: something else than a sum of products of powers of symbols stands in it.

    >>> polynomial(symbol("V") / 2 - 3 * symbol("L")**2 / symbol("V"))
    -3*L^2*V^-1 + 1/2*V
    """
    found = collected(expr)
    for name in found.names & STANDS_FOR.keys():
        raise NotDerivable(f"{name} is no power of a dim")
    return found


@lru_cache(KEPT)
def names_in(expr: SymExpr) -> frozenset[str]:
    """The names in an expression once it is expanded, in what is rounded there too.

    >>> sorted(names_in(symbol("V") * (symbol("L") + 1) - symbol("V")))
    ['L', 'V']
    """
    names = collected(expr).names
    behind = names & STANDS_FOR.keys()
    return (names - behind).union(*(ex.symbols_in(STANDS_FOR[each]) for each in behind))


def has(expr: SymExpr, name: str) -> bool:
    """Whether a name is in an expression once it is expanded, in what is rounded there too.

    >>> has(symbol("V") * symbol("L"), "L"), has(symbol("V"), "L")
    (True, False)
    """
    return name in names_in(expr)


def put_in(expr: SymExpr, table: Mapping[SymExpr, SymExpr]) -> SymExpr:
    """An expression with symbols replaced, as SymPy does it, which goes through the whole tree: a
    symbol in a product is looked up here.

    >>> put_in(2 * symbol("V") * symbol("L"), {symbol("L"): symbol("V") + 1})
    2*V*(V + 1)
    """
    if not expr.is_Mul:
        return expr.xreplace(table)
    return sp.Mul(*[table.get(each, each) if each.is_Symbol else each.xreplace(table)
                    for each in expr.args])


def rational(number: SymExpr) -> ex.Rational:
    """A number of SymPy's as Python's.

    Raises:
        NotDerivable: it is not exact.
    """
    if not number.is_Rational:
        raise NotDerivable(f"{number} is no exact number")
    return int(number.p) if number.q == 1 else Fraction(int(number.p), int(number.q))


_BEHIND: dict[str, SymExpr] = {}


def _named(base: SymExpr) -> str:
    """The name of a symbol; of anything else one that stands for it."""
    if base.is_Symbol:
        return str(base.name)
    name = f"({base})"
    if name not in STANDS_FOR:
        if base.is_number:
            raise NotDerivable(f"{base} is no exact number")
        STANDS_FOR[name] = from_sympy(base)
        _BEHIND[name] = base
    return name


def expression_of(powers: Powers, coefficient: SymExpr = 1) -> SymExpr:
    """A product as a SymPy expression."""
    return exact(coefficient) * sp.Mul(*(behind(name)**exact(e) for name, e in powers))


def behind(name: str) -> SymExpr:
    """The symbol of a name, or what it stands for."""
    return _BEHIND.get(name) or symbol(name)


def from_sympy(expr: SymExpr, key: Callable[[Powers], Any] = by_degree) -> ex.Expr:
    """A SymPy expression as a tree, expanded and in written order."""
    if expr.is_Symbol:
        return ex.Sym(expr.name)
    if expr.is_Rational:
        return ex.Num(ex.whole(Fraction(int(expr.p), int(expr.q))))
    if expr.is_Function:
        name = expr.func.__name__
        if name in MODES:
            return whole_tree(expr.args[0], name)
        of_several = ex.Procedure if name in PROCEDURES else ex.Extreme
        return of_several(name, tuple(map(_over_line, expr.args)))
    return expanded(collected(expr), key)


def whole_tree(expr: SymExpr, mode: str) -> ex.Expr:
    """An expression rounded to a whole number, a fraction of one term over its denominator.

    >>> str(whole_tree(symbol("d_model") / 96, "up"))
    'up(d_model/96)'
    """
    return ex.Whole(_over_line(expr), mode)


def _over_line(expr: SymExpr) -> ex.Expr:
    """An expression as a tree, a fraction of one term over its denominator."""
    terms = collected(expr).terms
    if len(terms) == 1:
        (powers, number), = terms.items()
        if isinstance(number, Fraction) and powers and all(e > 0 for _, e in powers):
            top = product(powers, number.numerator)
            return ex.Quotient(top, ex.Num(number.denominator))
    return from_sympy(expr)


@lru_cache(KEPT)
def over(expr: SymExpr, factor: SymExpr) -> SymExpr:
    """An expression divided by one of its factors, expanded."""
    if factor.is_Symbol or factor.is_Number:
        return expand(expr / factor)
    return expand(sp.cancel(expr / factor))


@lru_cache(KEPT)
def is_zero(expr: SymExpr) -> bool:
    """Whether an expression is identically zero: expanded, and over a common denominator."""
    found = expand(expr)
    return bool(found == 0 or sp.cancel(sp.together(found)) == 0)
