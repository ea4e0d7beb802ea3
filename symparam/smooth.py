"""Rules without their roundings: what a formula or a derivative can take in their place.

A count follows a rule as it stands; algebra knows no rounding. What replaces it is a premise, and
is named wherever it is used.
"""

from __future__ import annotations

from fractions import Fraction

from symparam import expression as ex


def rounds(expr: ex.Expr) -> bool:
    """Whether anything in an expression is brought to a whole number."""
    return any(isinstance(each, ex.Whole) for each in ex.walk(expr))


def smooth(expr: ex.Expr) -> ex.Expr:
    """The expression without roundings, and what is rounded without a part below one step.

    So a pattern of layers becomes its share, in whichever layer it begins.

    >>> from symparam.grammar import parse_expression
    >>> for text in ("up((L - 5)/6)", "L - down(L/6) - 1", "256*up(d_model/96)"):
    ...     print(smooth(parse_expression(text)))
    L/6
    L - L/6 - 1
    256*(d_model/96)
    """
    match expr:
        case ex.Whole(inner, _):
            return _without_start(smooth(inner))
        case ex.Sum(terms):
            return ex.Sum(tuple(map(smooth, terms)))
        case ex.Product(factors):
            return ex.Product(tuple(map(smooth, factors)))
        case ex.Quotient(top, bottom):
            return ex.Quotient(smooth(top), smooth(bottom))
        case ex.Power(base, exponent):
            return ex.Power(smooth(base), exponent)
    return expr


def _without_start(expr: ex.Expr) -> ex.Expr:
    """A sum, or one over a number, without its numbers where they are together below 1."""
    over = ex.Num(1)
    top = expr
    if isinstance(expr, ex.Quotient) and isinstance(expr.bottom, ex.Num):
        top, over = expr.top, expr.bottom
    if not isinstance(top, ex.Sum):
        return expr
    start = sum((Fraction(t.value) for t in top.terms if isinstance(t, ex.Num)), Fraction(0))
    rest = [t for t in top.terms if not isinstance(t, ex.Num)]
    if not rest or abs(start) >= abs(Fraction(over.value)):
        return expr
    left = ex.sum_of(*rest)
    return left if over == ex.Num(1) else ex.Quotient(left, over)
