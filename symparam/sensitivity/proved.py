"""Derivatives, elasticities and other quotients, as trees that are proved when they are made."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import sympy as sp

from symparam import expression as ex
from symparam.errors import FalseStep
from symparam.sensitivity.held import Held, total_slope
from symparam.sensitivity.written import (
    Powers,
    Terms,
    arranged,
    divided,
    ordered,
    terms_of,
    written,
)
from symparam.symbols import (
    SymExpr,
    degree,
    exact,
    from_sympy,
    is_zero,
    monomials,
    symbol,
    to_sympy,
)


@dataclass(frozen=True)
class Derivative:
    """A derivative as it is written.

    Attributes:
        wrt: the dim.
        of: what is differentiated, the dims that follow replaced.
        expr: the derivative.
        slopes: how fast dims change that follow and were not replaced (their rule rounds).

    Raises:
        FalseStep: the tree is not the derivative.

    >>> from symparam.grammar import parse_expression
    >>> count = 12 * symbol("L") * symbol("d_model")**2
    >>> print(Derivative("d_model", count, parse_expression("24*L*d_model")).expr)
    24*L*d_model
    >>> Derivative("d_model", count, parse_expression("12*L*d_model"))
    Traceback (most recent call last):
    symparam.errors.FalseStep: not true: ∂P/∂d_model = 12*L*d_model; the sides differ by \
12*L*d_model
    """

    wrt: str
    of: SymExpr
    expr: ex.Expr
    slopes: Mapping[str, SymExpr] = field(default_factory=dict)

    def __post_init__(self) -> None:
        difference = total_slope(self.of, self.wrt, self.slopes) - to_sympy(self.expr)
        if not is_zero(difference):
            raise FalseStep(f"∂P/∂{self.wrt} = {self.expr}", str(sp.expand(difference))[:200])

    @property
    def degree(self) -> ex.Rational:
        """The highest power of the dim in what is differentiated."""
        powers = [sp.Rational(degree(m, symbol(self.wrt))) for m in monomials(self.of)]
        return max((ex.whole(Fraction(int(p.p), int(p.q))) for p in powers), default=0)


def derivative(count: SymExpr, held: Held) -> Derivative:
    """The derivative of a count by a dim, under a convention.

    Raises:
        NotDerivable: under the convention the count is too long to be of use.
    """
    of, slopes = held.applied(count), held.slopes()
    terms = terms_of(of)
    if slopes or terms is None:
        return Derivative(held.wrt, of, written(total_slope(of, held.wrt, slopes)), slopes)
    return Derivative(held.wrt, of, arranged(dict(_by_power_rule(terms, held.wrt))))


def _by_power_rule(terms: Terms, name: str) -> Iterator[tuple[Powers, Fraction]]:
    """The derivative term by term; the proof does not rest on it."""
    for powers, coefficient in terms.items():
        exponent = dict(powers).get(name, 0)
        if exponent:
            less = ordered((n, e - 1 if n == name else e) for n, e in powers)
            yield less, coefficient * exponent


@dataclass(frozen=True)
class Ratio:
    """A quotient of two polynomials as it is written.

    Attributes:
        top, bottom: the polynomials.
        expr: their quotient.
        factor: what both were divided by.

    Raises:
        FalseStep: the tree is not the quotient.
    """

    top: SymExpr
    bottom: SymExpr
    expr: ex.Expr
    factor: SymExpr = 1

    def __post_init__(self) -> None:
        match self.expr:
            case ex.Quotient(over, under):
                pairs = [(self.top, over), (self.bottom, under)]
                differences = [whole - self.factor * to_sympy(tree) for whole, tree in pairs]
            case _:
                differences = [self.top - to_sympy(self.expr) * self.bottom]
        for difference in differences:
            if not is_zero(difference):
                raise FalseStep(f"the quotient is {self.expr}"[:200], str(difference)[:200])

    def at(self, values: Mapping[str, int]) -> Fraction:
        """Its exact value."""
        return Fraction(ex.evaluate(self.expr, values))


def quotient(top: SymExpr, bottom: SymExpr) -> Ratio:
    """Two polynomials over each other, numbers and symbols that all terms share taken out.

    >>> d, L = symbol("d_model"), symbol("L")
    >>> print(quotient(24 * L * d**2 + 4 * d, 12 * L * d**2 + 4 * d).expr)
    (6*L*d_model + 1)/(3*L*d_model + 1)
    """
    above, below = terms_of(top), terms_of(bottom)
    if above is None or below is None:
        return Ratio(top, bottom, ex.Quotient(from_sympy(top), from_sympy(bottom)))
    constant = _constant(above, below)
    if constant is not None:
        return Ratio(top, bottom, ex.Num(constant))
    front, number = _shared([*above, *below]), _content([*above.values(), *below.values()])
    over, under = divided(above, front, number), divided(below, front, number)
    if under == {(): 1}:
        return Ratio(top, bottom, arranged(over, True))
    factor = exact(number) * sp.Mul(*(symbol(name)**exact(e) for name, e in front))
    return Ratio(top, bottom, ex.Quotient(arranged(over, True), arranged(under, True)), factor)


def _constant(above: Terms, below: Terms) -> ex.Rational | None:
    """The number that one polynomial is of another; None where it is no number."""
    if above and above.keys() != below.keys():
        return None
    numbers = {c / below[powers] for powers, c in above.items()} or {Fraction(0)}
    return None if len(numbers) > 1 else ex.whole(numbers.pop())


def _shared(keys: list[Powers]) -> Powers:
    """The largest product that divides all; what has a negative power is brought above."""
    found = [dict(key) for key in keys]
    names = {name for key in found for name in key}
    return ordered((name, min(key.get(name, 0) for key in found)) for name in names)


def _content(numbers: list[Fraction]) -> Fraction:
    """The number that divides all coefficients, fractions among them."""
    return Fraction(math.gcd(*(n.numerator for n in numbers)),
                    math.lcm(*(n.denominator for n in numbers)))
