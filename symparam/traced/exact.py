"""Polynomials of what forward passes show, and their division without a rest."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import field

from symparam import arranged
from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.errors import NotDerivable
from symparam.polynomial import Polynomial


class Exact:
    """Expressions as polynomials, in which what is rounded or chosen is a name of its own.

    Attributes:
        parts: these names, with what they stand for.
        even: roundings of what is whole anyway.
    """

    def __init__(self, even: Collection[ex.Expr] = ()) -> None:
        self.parts: dict[str, ex.Expr] = {}
        self.even = even

    def polynomial(self, expr: ex.Expr) -> Polynomial:
        """The polynomial of an expression."""
        match expr:
            case ex.Num(value):
                return Polynomial.of(value)
            case ex.Sym(name):
                return Polynomial.named(name)
            case ex.Sum(terms):
                return sum((self.polynomial(t) for t in terms), start=Polynomial({}))
            case ex.Product(factors):
                return self.product(factors)
            case ex.Quotient(top, bottom) if len(below := self.polynomial(bottom).terms) == 1:
                return self.polynomial(top) / Polynomial(below)
            case ex.Power(base, int(exponent)) if exponent > 0:
                return self.polynomial(base) ** exponent
            case ex.Whole(inner) if expr in self.even:
                return self.polynomial(inner)
        name = str(expr)
        self.parts[name] = expr
        return Polynomial.named(name)

    def product(self, factors: Iterable[ex.Expr]) -> Polynomial:
        """The polynomial of a product."""
        found = Polynomial.of(1)
        for factor in factors:
            found = found * self.polynomial(factor)
        return found

    def expression(self, found: Polynomial) -> ex.Expr:
        """What a polynomial says, over dims again."""
        return ex.substitute(arranged.factored(found), self.parts)

    def factors(self, found: Polynomial) -> tuple[ex.Expr, ...]:
        """The same as factors, a sum being one."""
        return tuple(ex.factors_of(self.expression(found)))


@dataclass(frozen=True)
class Settled:
    """What holds of dims wherever forward passes were made.

    Attributes:
        dims: those at one number alone, or always by others, with what stands for them.
        even: roundings that change nothing there.
    """

    dims: Mapping[str, ex.Expr] = field(default_factory=dict)
    even: frozenset[ex.Expr] = frozenset()


def divided(top: Polynomial, bottom: Polynomial) -> Polynomial:
    """A quotient that leaves nothing.

    Raises:
        NotDerivable: something is left.

    >>> d, h, k = map(Polynomial.named, "dhk")
    >>> divided(2 * d * h * (h + k), h * (h + k))
    2*d
    """
    if len(bottom.terms) == 1:
        return top / bottom
    found, rest = Polynomial({}), top
    lead = max(bottom.terms)
    for _ in range(len(top.terms) + len(bottom.terms)):
        if not rest.terms:
            return found
        powers = max(rest.terms)
        step = Polynomial({powers: rest.terms[powers]}) / Polynomial({lead: bottom.terms[lead]})
        found, rest = found + step, rest - step * bottom
    raise NotDerivable(f"{top} is no multiple of {bottom}")
