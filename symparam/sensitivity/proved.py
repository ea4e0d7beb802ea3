"""Derivatives, elasticities and other quotients, as trees that are proved when they are made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from fractions import Fraction

import sympy as sp

from symparam import expression as ex
from symparam.bracketed import by_sharing, written
from symparam.dataclass import dataclass
from symparam.errors import FalseStep, NotDerivable
from symparam.polynomial import Polynomial, Powers, content
from symparam.sensitivity.held import Held, total_slope
from symparam.symbols import (
    SymExpr,
    collected,
    expression_of,
    from_sympy,
    is_zero,
    polynomial,
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
        put_in: the same with those replaced too, their roundings left out; None where there are
            none.

    Raises:
        FalseStep: the tree is not the derivative.

    >>> from symparam.grammar import parse_expression
    >>> from symparam.symbols import symbol
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
    put_in: Derivative | None = None

    def __post_init__(self) -> None:
        difference = total_slope(self.of, self.wrt, self.slopes) - to_sympy(self.expr)
        if not is_zero(difference):
            raise FalseStep(f"∂P/∂{self.wrt} = {self.expr}", str(sp.expand(difference))[:200])

    @property
    def degree(self) -> ex.Rational:
        """The highest power of the dim in what is differentiated, dims that follow replaced."""
        if self.put_in is not None:
            return self.put_in.degree
        return collected(self.of).degree(self.wrt)


def derivative(count: SymExpr, held: Held) -> Derivative:
    """The derivative of a count by a dim, under a convention.

    Raises:
        NotDerivable: under the convention the count is too long to be of use.
    """
    of, slopes = held.applied(count), held.slopes()
    terms = _terms_of(of)
    if slopes or terms is None:
        whole = _plain(held.wholly(count), held.wrt) if slopes else None
        return Derivative(held.wrt, of, written(total_slope(of, held.wrt, slopes)), slopes, whole)
    return _plain(of, held.wrt)


def _plain(of: SymExpr, name: str) -> Derivative:
    """A derivative by one dim, all others standing still."""
    terms = _terms_of(of)
    if terms is None:
        return Derivative(name, of, written(total_slope(of, name, {})))
    return Derivative(name, of, by_sharing(terms.derivative(name)))


def _terms_of(expr: SymExpr) -> Polynomial | None:
    """An expression as a polynomial; None where something else than powers of dims is in it."""
    try:
        return polynomial(expr)
    except NotDerivable:
        return None


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

    >>> from symparam.symbols import symbol
    >>> d, L = symbol("d_model"), symbol("L")
    >>> print(quotient(24 * L * d**2 + 4 * d, 12 * L * d**2 + 4 * d).expr)
    (6*L*d_model + 1)/(3*L*d_model + 1)
    """
    above, below = _terms_of(top), _terms_of(bottom)
    if above is None or below is None:
        return Ratio(top, bottom, ex.Quotient(from_sympy(top), from_sympy(bottom)))
    constant = _constant(above, below)
    if constant is not None:
        return Ratio(top, bottom, ex.Num(constant))
    front, number = _shared(above, below), content([*above.terms.values(), *below.terms.values()])
    over, under = above.divided(front, number), below.divided(front, number)
    if under == 1:
        return Ratio(top, bottom, _in_front(over))
    return Ratio(top, bottom, ex.Quotient(_in_front(over), _in_front(under)),
                 expression_of(front, number))


def _in_front(found: Polynomial) -> ex.Expr:
    """A sum by what its terms share, a number that all of them have in front."""
    number = found.content()
    return ex.flat_product(ex.Num(number), by_sharing(found.divided((), number)))


def _constant(above: Polynomial, below: Polynomial) -> ex.Rational | None:
    """The number that one polynomial is of another; None where it is no number."""
    if above.terms and above.terms.keys() != below.terms.keys():
        return None
    numbers = {Fraction(c) / below.terms[powers] for powers, c in above.terms.items()} or {
        Fraction(0)}
    return None if len(numbers) > 1 else ex.whole(numbers.pop())


def _shared(above: Polynomial, below: Polynomial) -> Powers:
    """The largest product that divides all; what has a negative power is brought above."""
    found = [dict(powers) for each in (above, below) for powers in each.terms]
    lowest = ((name, min(own.get(name, 0) for own in found))
              for name in sorted(above.names | below.names))
    return tuple((name, exponent) for name, exponent in lowest if exponent)
