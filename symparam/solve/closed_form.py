"""Closed forms: a dim as a formula in P and the other dims, proved by putting it back.

The count is a polynomial in each dim with positive coefficients. To degree 2 its one positive
root is written down from the coefficients; above that it is isolated on numbers, exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import sympy as sp

from symparam import expression as ex
from symparam.dims import TOTAL
from symparam.errors import FalseStep, NotDerivable
from symparam.grammar import MAX_TERMS, Rule
from symparam.symbols import (
    Monomial,
    SymExpr,
    factored,
    from_sympy,
    is_zero,
    monomial_key,
    monomials,
    symbol,
    to_sympy,
)

#: No root of a higher degree is looked for: with rules like d_model**64 it would take long.
MAX_DEGREE = 80

#: Exponent of the unknown to its coefficient, which is free of it.
Coefficients: TypeAlias = dict[int, SymExpr]

P = symbol(TOTAL.name)
_ONE_ROOT = "the only root: P is linear in {}"
_INVERSE = "the only root: P less a constant is inversely proportional to {}"
_POSITIVE = ("the only positive root of two: the other one, with a minus before the square root, "
             "is negative")
_UNSTEADY = ("under these rules P does not grow steadily with {}: more than one value may give the "
             "same P")
_NO_FORMULA = "of degree {}: no formula in square roots, so its root is isolated on numbers"
_TOO_HIGH = "of degree {}: no root of so high a degree is looked for"
_NO_POLYNOMIAL = "P is no polynomial in {} under the rules: neither a formula nor a real root"


@dataclass(frozen=True)
class ClosedForm:
    """A dim as a formula.

    Attributes:
        symbol: the dim.
        expr: the formula, proved; None where there is none in square roots.
        why: how many positive roots there are, and why this is the one.
        count: P as the formula was found from it, a polynomial in the dim; None where it would
            be too long, or of too high a degree.
    """

    symbol: str
    expr: ex.Expr | None
    why: str
    count: SymExpr | None


def reduced(count: SymExpr, identities: Mapping[str, Rule]) -> SymExpr:
    """The count with dims replaced by what they follow from; roundings are left out.

    Raises:
        NotDerivable: multiplied out, it would be too long to be of use.
    """
    rules = {dim: rule.expr for dim, rule in identities.items()}
    tree = from_sympy(count)
    for _ in rules:
        if not rules.keys() & ex.symbols_in(tree):
            break
        tree = ex.substitute(tree, rules)
        if ex.expanded_terms(tree) > MAX_TERMS:
            raise NotDerivable("the rules are too long to multiply out, so there is no formula")
    return sp.expand(to_sympy(tree))


def closed_form(count: SymExpr, name: str) -> ClosedForm:
    """A dim from P and the others.

    Args:
        count: P in the dims, identities applied.
        name: the dim to solve for.

    Raises:
        NotDerivable: P does not depend on the dim.

    >>> L, d = symbol("L"), symbol("d_model")
    >>> str(closed_form(12 * L * d**2, "d_model").expr)
    '(P/(12*L))**(1/2)'
    >>> str(closed_form(12 * L * d**2, "L").expr)
    'P/(12*d_model**2)'
    """
    powers = coefficients(count, symbol(name))
    if powers is None:
        return ClosedForm(name, None, _NO_POLYNOMIAL.format(name), count)
    if not _steady(powers):
        return ClosedForm(name, None, _UNSTEADY.format(name), None)
    if set(powers) <= {0}:
        raise NotDerivable(f"the count does not depend on {name} here: any value gives the same")
    low, high = min(*powers, 0), max(*powers, 0)
    if high - low > MAX_DEGREE:
        return ClosedForm(name, None, _TOO_HIGH.format(high - low), None)
    if (low, high) not in _FORMULAS:
        return ClosedForm(name, None, _NO_FORMULA.format(high - low), count)
    formula, why = _FORMULAS[low, high]
    root = formula(powers)
    _prove(powers, name, root)
    if 0 in powers:
        why += "; positive where P is more than the part without {}"
    return ClosedForm(name, root, why.replace("{}", name), count)


def _steady(powers: Coefficients) -> bool:
    """Whether every power of the dim adds to the count: rules can subtract."""
    return all(number > 0 for exponent, c in powers.items() if exponent != 0
               for number in monomials(c).values())


def coefficients(count: SymExpr, unknown: SymExpr) -> Coefficients | None:
    """The count as a polynomial in one dim and one over it; None where it is none."""
    found: Coefficients = {}
    for monomial, coefficient in monomials(count).items():
        power = dict(monomial).get(unknown, sp.Integer(0))
        rest = sp.Mul(*(base**e for base, e in monomial if base != unknown))
        if not power.is_Integer or unknown in rest.free_symbols:
            return None
        found[int(power)] = found.get(int(power), sp.Integer(0)) + coefficient * rest
    return found


def _linear(powers: Coefficients) -> ex.Expr:
    """(P − c)/b; with b = n/m as m·(P − c)/n."""
    top, bottom = sp.fraction(sp.together(powers[1]))
    left = _less(powers.get(0, sp.Integer(0)))
    if bottom != 1:
        left = _product(bottom) * left
    return ex.Quotient(left, _product(top))


def _inverse(powers: Coefficients) -> ex.Expr:
    """b/(P − c), for a count of c + b/x."""
    return ex.Quotient(_product(powers[-1]), _less(powers.get(0, sp.Integer(0))))


def _quadratic(powers: Coefficients) -> ex.Expr:
    """(√(4a(P − c) + b²) − b)/(2a); √((P − c)/a) where b is 0."""
    zero = sp.Integer(0)
    a, b, left = powers[2], powers.get(1, zero), _less(powers.get(0, zero))
    half = Fraction(1, 2)
    if b == 0:
        return ex.Power(ex.Quotient(left, _product(a)), half)
    middle = _sum(b)
    inside = ex.sum_of(_product(4 * a) * left, ex.Power(middle, 2))
    return ex.Quotient(ex.sum_of(ex.Power(inside, half), -middle), _product(2 * a))


#: The lowest and the highest exponent of a dim, to its formula and what is said of it.
_FORMULAS = {(0, 1): (_linear, _ONE_ROOT), (0, 2): (_quadratic, _POSITIVE),
             (-1, 0): (_inverse, _INVERSE)}


def _less(constant: SymExpr) -> ex.Expr:
    """P less what does not depend on the unknown."""
    whole = ex.Sym(TOTAL.name)
    return whole if constant == 0 else whole - _product(constant)


def _product(expr: SymExpr) -> ex.Expr:
    """An expression with its common factor in front."""
    return factored(monomials(expr))


def _sum(expr: SymExpr) -> ex.Expr:
    """An expression multiplied out; terms in L first, as depth is what people look for."""
    depth = symbol("L")

    def key(monomial: Monomial) -> tuple[Any, ...]:
        order = monomial_key(monomial)
        return (order[0], depth not in dict(monomial), order)

    return from_sympy(expr, key)


def _prove(powers: Coefficients, name: str, root: ex.Expr) -> None:
    """Put the root back; a formula that does not give P is never handed out.

    With a·x² + b·x + c = P, x = (√D − m)/n is a root when n = 2a, m = b and D = 4a(P − c) + b²:
    identities of polynomials, which hold or fail at once where the fractions would swell.
    """
    zero = sp.Integer(0)
    a, b, left = powers.get(2, zero), powers.get(1, zero), P - powers.get(0, zero)
    top, bottom = _parts(root)
    if -1 in powers:
        differences = [left * top - powers[-1] * bottom]
    elif a == 0:
        differences = [b * top - left * bottom]
    elif b == 0:
        assert isinstance(root, ex.Power)
        top, bottom = _parts(root.base)
        differences = [a * top - left * bottom]
    else:
        inside, middle = _under_root(root)
        differences = [bottom - 2 * a, middle - b, inside - 4 * a * left - b**2]
    for difference in differences:
        if not is_zero(difference):
            raise FalseStep(f"{name} = {root}", str(difference)[:200])


def _parts(tree: ex.Expr) -> tuple[SymExpr, SymExpr]:
    """Numerator and denominator of a tree."""
    if isinstance(tree, ex.Quotient):
        return to_sympy(tree.top), to_sympy(tree.bottom)
    return to_sympy(tree), sp.Integer(1)


def _under_root(tree: ex.Expr) -> tuple[SymExpr, SymExpr]:
    """D and m of a tree (√D − m)/n."""
    top = tree.top if isinstance(tree, ex.Quotient) else tree
    assert isinstance(top, ex.Sum)
    half = Fraction(1, 2)
    roots = [t for t in top.terms if isinstance(t, ex.Power) and t.exponent == half]
    rest = [to_sympy(t) for t in top.terms if t not in roots]
    return to_sympy(roots[0].base), -sp.Add(*rest)


def real_root(form: ClosedForm, target: int, numbers: Mapping[str, int]) -> Fraction | None:
    """The positive root on numbers, from exact arithmetic to more than 14 digits.

    None where another dim has no number, or no positive value reaches the target.

    >>> L, d = symbol("L"), symbol("d_model")
    >>> int(real_root(closed_form(12 * L * d**2, "d_model"), 51539607552, {"L": 64}))
    8192
    """
    if form.count is None:
        return None
    unknown = symbol(form.symbol)
    table = {symbol(name): value for name, value in numbers.items() if name != form.symbol}
    powers = coefficients(form.count.subs(table), unknown)
    if powers is None or not all(c.is_Rational for c in powers.values()):
        return None
    powers[0] = powers.get(0, sp.Integer(0)) - target
    low = min(powers)
    poly = sp.Poly({(e - low,): c for e, c in powers.items()}, unknown)
    roots = [interval for interval, _ in poly.intervals(inf=0) if interval[1] > 0]
    return _refined(poly, *roots[0]) if roots else None


def _refined(poly: Any, low: Any, high: Any) -> Fraction:
    """An isolated root to fifteen digits."""
    while (high - low) * 10**15 > high:
        low, high = poly.refine_root(low, high, eps=(low or high) / 10**15)
    middle = (low + high) / 2
    return Fraction(int(middle.p), int(middle.q))


def grows(form: ClosedForm) -> bool:
    """Whether the count grows with the dim of a form (else it falls).

    Raises:
        NotDerivable: it does neither throughout.
    """
    name = form.symbol
    known = None if form.count is None else coefficients(form.count, symbol(name))
    exponents = set(known or {-1, 1})
    if min(exponents) >= 0:
        return True
    if max(exponents) <= 0:
        return False
    raise NotDerivable(f"the count neither grows nor falls throughout with {name}: give the dims "
                       f"that follow from {name} as numbers")
