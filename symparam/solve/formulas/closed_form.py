"""Closed forms: a dim as a formula in P and the other dims, proved by putting it back.

Under given rules the count is a polynomial in a dim and in one over it. Where its powers span one
or two degrees, its roots are written down from the coefficients;
:mod:`symparam.solve.formulas.roots` isolates them on numbers for every degree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import sympy as sp

from symparam import expression as ex
from symparam.arranged import by_degree, factored
from symparam.dataclass import dataclass
from symparam.dims import TOTAL
from symparam.errors import FalseStep, NotDerivable, the
from symparam.grammar import MAX_TERMS, Rule
from symparam.polynomial import Powers
from symparam.symbols import (
    SymExpr,
    collected,
    expression_of,
    from_sympy,
    is_zero,
    symbol,
    to_sympy,
)

if TYPE_CHECKING:
    from symparam.solve.formulas.put_in import PutIn

#: No root of a higher degree is looked for: with rules like d_model**64 it would take long.
MAX_DEGREE = 80

#: Exponent of the unknown to its coefficient, which is free of it.
Coefficients: TypeAlias = dict[int, SymExpr]

P = symbol(TOTAL.name)
HALF = Fraction(1, 2)

_ONE_ROOT = "the only root: P is linear in {}"
_INVERSE = "the only root: P less a constant is inversely proportional to {}"
_POSITIVE = ("the only positive root of two: the other one, with a minus before the square root, "
             "is negative")
_ABOVE = "; positive where P is more than the part without {}"
_BOTH = ("two roots, with a plus and with a minus before the square root: they are real where what "
         "stands under it is not negative, and the numbers decide which of them are positive")
_NO_FORMULA = "of degree {}: no formula in square roots, so its roots are isolated on numbers"
_TOO_HIGH = "of degree {}: no root of so high a degree is looked for"
_NO_POLYNOMIAL = "P is no polynomial in {} under the rules: neither a formula nor a real root"


@dataclass(frozen=True)
class ClosedForm:
    """A dim as a formula, or as two.

    Attributes:
        symbol: the dim.
        formulas: the formulas of the roots that may be positive, each proved; none where there
            are none in square roots.
        why: how many positive roots there are, and why these are the ones.
        count: P as the formulas were found from it, a polynomial in the dim; None where it would
            be too long, or of too high a degree.
        put_in: the relations under which that is so, each with where it is from.
    """

    symbol: str
    formulas: tuple[ex.Expr, ...]
    why: str
    count: SymExpr | None
    put_in: tuple[PutIn, ...] = ()

    @property
    def expr(self) -> ex.Expr | None:
        """The formula, the first where there are two."""
        return self.formulas[0] if self.formulas else None


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
    >>> [str(root) for root in closed_form(L * d + d / L, "L").formulas]
    ['(P + (P**2 - 4*d_model**2)**(1/2))/(2*d_model)', \
'(P - (P**2 - 4*d_model**2)**(1/2))/(2*d_model)']
    """
    powers = coefficients(count, symbol(name))
    if powers is None:
        return ClosedForm(name, (), _NO_POLYNOMIAL.format(name), count)
    if set(powers) <= {0}:
        raise NotDerivable(f"the count does not depend on {name} here: any value gives the same")
    low, high = min(*powers, 0), max(*powers, 0)
    if high - low > MAX_DEGREE:
        return ClosedForm(name, (), _TOO_HIGH.format(high - low), None)
    formulas, why = _formulas(powers, low, high)
    for formula in formulas:
        _prove(powers, low, name, formula)
    return ClosedForm(name, formulas, why.replace("{}", name), count)


def _formulas(powers: Coefficients, low: int, high: int) -> tuple[tuple[ex.Expr, ...], str]:
    """The roots that may be positive, and what is said of them."""
    tail = _ABOVE if 0 in powers and steady(powers) else ""
    match low, high:
        case 0, 1:
            return (_linear(powers),), _ONE_ROOT + tail
        case -1, 0:
            return (_inverse(powers),), _INVERSE + tail
        case (0, 2) | (-2, 0):
            both = _quadratic(powers, upside_down=low < 0)
            return (both[:1], _POSITIVE + tail) if steady(powers) else (both, _BOTH)
        case -1, 1:
            return _two_sided(powers), _BOTH
    return (), _NO_FORMULA.format(high - low)


def steady(powers: Coefficients) -> bool:
    """Whether every power of the dim adds to the count: rules can subtract."""
    return all(number > 0 for exponent, c in powers.items() if exponent != 0
               for number in collected(c).terms.values())


def coefficients(count: SymExpr, unknown: SymExpr) -> Coefficients | None:
    """The count as a polynomial in one dim and one over it; None where it is none."""
    try:
        powers_of = collected(count).by(unknown.name)
    except NotDerivable:
        return None
    found: Coefficients = {}
    for power, rest in powers_of.items():
        free = sp.Add(*(expression_of(powers, c) for powers, c in rest.terms.items()))
        if not isinstance(power, int) or unknown in free.free_symbols:
            return None
        found[power] = free
    return {e: c for e, c in found.items() if c != 0}


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


def _quadratic(powers: Coefficients, upside_down: bool) -> tuple[ex.Expr, ...]:
    """(±√(4a(P − c) + b²) − b)/(2a), or one over it; √((P − c)/a) where b is 0."""
    zero, sign = sp.Integer(0), -1 if upside_down else 1
    a, b, left = powers[2 * sign], powers.get(sign, zero), _less(powers.get(0, zero))
    if b == 0:
        parts = (left, _product(a))
        root = ex.Power(ex.Quotient(*(reversed(parts) if upside_down else parts)), HALF)
        return root, -root
    middle, bottom = _sum(b), _product(2 * a)
    inside = ex.Power(ex.sum_of(_product(4 * a) * left, ex.Power(middle, 2)), HALF)
    tops = ex.sum_of(inside, -middle), ex.sum_of(-inside, -middle)
    return tuple(ex.Quotient(bottom, top) if upside_down else ex.Quotient(top, bottom)
                 for top in tops)


def _two_sided(powers: Coefficients) -> tuple[ex.Expr, ...]:
    """((P − c) ± √((P − c)² − 4ab))/(2a), for a count of a·x + c + b/x."""
    left = _less(powers.get(0, sp.Integer(0)))
    product = _product(sp.expand(4 * powers[1] * powers[-1]))
    inside = ex.Power(ex.sum_of(ex.Power(left, 2), -product), HALF)
    bottom = _product(2 * powers[1])
    return tuple(ex.Quotient(ex.sum_of(left, root), bottom) for root in (inside, -inside))


def _less(constant: SymExpr) -> ex.Expr:
    """P less what does not depend on the unknown."""
    whole = ex.Sym(TOTAL.name)
    return whole if constant == 0 else whole - _product(constant)


def _product(expr: SymExpr) -> ex.Expr:
    """An expression with its common factor in front."""
    return factored(collected(expr))


def _sum(expr: SymExpr) -> ex.Expr:
    """An expression multiplied out; terms in L first, as depth is what people look for."""
    def key(powers: Powers) -> tuple[Any, ...]:
        order = by_degree(powers)
        return (order[0], "L" not in dict(powers), order)

    return from_sympy(expr, key)


def _prove(powers: Coefficients, low: int, name: str, root: ex.Expr) -> None:
    """Put the root back; a formula that does not give P is never handed out.

    With A·x² + B·x + C = 0, x = (±√D − m)/n is a root when n = 2A, m = B and D = B² − 4AC:
    identities of polynomials, which hold or fail at once where the fractions would swell. A count
    in 1/x alone is read as one in y = 1/x.
    """
    zero = sp.Integer(0)
    flipped = low < 0 and max(powers) <= 0
    sides = {(-e if flipped else e - low): c for e, c in powers.items()}
    place = 0 if flipped else -low
    sides[place] = sides.get(place, zero) - P
    a, b, c = (sides.get(e, zero) for e in (2, 1, 0))
    for difference in _differences(root, flipped, a, b, c):
        if not is_zero(difference):
            raise FalseStep(f"{name} = {root}", str(difference)[:200])


def _differences(root: ex.Expr, flipped: bool, a: SymExpr, b: SymExpr,
                 c: SymExpr) -> Iterator[SymExpr]:
    """What must be zero if the root solves a·x² + b·x + c = 0."""
    positive = ex.negated(root)
    bare = root if positive is None else positive
    if a == 0 or isinstance(bare, ex.Power):
        inner = bare.base if isinstance(bare, ex.Power) else root
        top, bottom = _parts(inner)
        if flipped:
            top, bottom = bottom, top
        yield (b if a == 0 else a) * top + c * bottom
        return
    over, under = the(ex.Quotient, root).top, the(ex.Quotient, root).bottom
    if flipped:
        over, under = under, over
    inside, middle = _under_root(over)
    yield from (to_sympy(under) - 2 * a, middle - b, inside - b**2 + 4 * a * c)


def _parts(tree: ex.Expr) -> tuple[SymExpr, SymExpr]:
    """Numerator and denominator of a tree."""
    if isinstance(tree, ex.Quotient):
        return to_sympy(tree.top), to_sympy(tree.bottom)
    return to_sympy(tree), sp.Integer(1)


def _under_root(tree: ex.Expr) -> tuple[SymExpr, SymExpr]:
    """D and m of a tree ±√D − m."""
    terms = the(ex.Sum, tree).terms
    bare = [(t, ex.negated(t) or t) for t in terms]
    roots = [(t, b) for t, b in bare if isinstance(b, ex.Power) and b.exponent == HALF]
    (signed, root), = roots
    base = the(ex.Power, root).base
    return to_sympy(base), -sp.Add(*(to_sympy(t) for t in terms if t is not signed))
