"""Rules without their roundings: what a formula or a derivative can take in their place.

A count follows a rule as it stands; algebra knows no rounding, and of the larger of two only the
one that it is at some numbers. What replaces a rule is a premise, and is named wherever it is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from symparam import expression as ex
from symparam.errors import NotDerivable

#: Which of two equals is taken is seen a little further on, where all dims have grown alike.
FURTHER = Fraction(1_000_001, 1_000_000)


def rounds(expr: ex.Expr) -> bool:
    """Whether anything in an expression is brought to a whole number, is the larger or the smaller
    of several, or what a procedure makes of them."""
    return any(isinstance(each, (ex.Whole, ex.Extreme, ex.Procedure)) for each in ex.walk(expr))


def smooth(expr: ex.Expr, at: Mapping[str, int] | None = None) -> ex.Expr:
    """The expression without roundings, and what is rounded without a part below one step.

    So a pattern of layers becomes its share, in whichever layer it begins.

    Args:
        expr: the rule.
        at: the numbers that decide between the parts of ``max`` and ``min``; of equal ones the part
            that holds when all dims grow.

    Raises:
        NotDerivable: there is such a choice, and no numbers to decide it.

    >>> from symparam.grammar import parse_expression
    >>> for text in ("up((L - 5)/6)", "L - down(L/6) - 1", "256*up(d_model/96)"):
    ...     print(smooth(parse_expression(text)))
    L/6
    L - L/6 - 1
    256*(d_model/96)
    >>> print(smooth(parse_expression("max(1, down(n_heads/4))"), {"n_heads": 12}))
    n_heads/4
    """
    match expr:
        case ex.Whole(inner, _):
            return _without_start(smooth(inner, at))
        case ex.Sum(terms):
            return ex.Sum(tuple(smooth(t, at) for t in terms))
        case ex.Product(factors):
            return ex.Product(tuple(smooth(f, at) for f in factors))
        case ex.Quotient(top, bottom):
            return ex.Quotient(smooth(top, at), smooth(bottom, at))
        case ex.Power(base, exponent):
            return ex.Power(smooth(base, at), exponent)
        case ex.Extreme():
            return _decided(expr, at or {})
        case ex.Procedure():
            raise NotDerivable(f"{expr} is a procedure, which has no slope: give what it stands "
                               "for as a number")
    return expr


def _decided(expr: ex.Extreme, at: Mapping[str, int]) -> ex.Expr:
    """The part of a choice that holds at some numbers, smoothed."""
    if not set(ex.symbols_in(expr)) <= at.keys():
        word = "largest" if expr.mode == "max" else "smallest"
        raise NotDerivable(f"which part of {expr} is the {word} depends on numbers: give them, or "
                           "what it stands for as a number")
    parts = [smooth(part, at) for part in expr.parts]
    here = [ex.evaluate(part, at) for part in expr.parts]
    best = max(here) if expr.mode == "max" else min(here)
    grown = {name: FURTHER * at[name] for name in ex.symbols_in(expr)}
    left = [part for part, value in zip(parts, here, strict=True) if value == best]
    pick = max if expr.mode == "max" else min
    return pick(left, key=lambda part: Fraction(ex.evaluate(part, grown)))


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
