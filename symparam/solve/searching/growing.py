"""A rule that rounds as one that grows where it does, for the zeros of what is searched."""

from __future__ import annotations

from symparam import expression as ex
from symparam.errors import NotDerivable
from symparam.smooth import rounds


def growing(expr: ex.Expr) -> ex.Expr:
    """What grows where a rule grows: the rule without the roundings inside it.

    They are left out only where nothing is subtracted and nothing but a number divides: then the
    rule grows with what is rounded, as it does without the rounding. The largest of several grows
    where all of them do, as their sum does.

    Raises:
        NotDerivable: elsewhere.
    """
    inside = list(ex.walk(expr))
    if not rounds(expr):
        return expr
    if any(isinstance(e, ex.Num) and e.value < 0 for e in inside):
        raise NotDerivable
    match expr:
        case ex.Whole(inner, _):
            return growing(inner)
        case ex.Extreme(_, parts):
            return ex.Sum(tuple(map(growing, parts)))
        case ex.Sum(terms):
            return ex.Sum(tuple(map(growing, terms)))
        case ex.Product(factors):
            return ex.Product(tuple(map(growing, factors)))
        case ex.Quotient(top, ex.Num()):
            return ex.Quotient(growing(top), expr.bottom)
        case ex.Power(base, int(exponent)) if exponent > 0:
            return ex.Power(growing(base), exponent)
    raise NotDerivable
