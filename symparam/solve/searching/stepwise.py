"""Whether what follows a dim by a pattern ever falls: decided on one cycle of it, exactly.

A pattern is a sum of multiples of the dim and of its fractions brought to whole numbers. From one
cycle to the next it rises by the same, so that its steps are those of one cycle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import lcm
from typing import Any

from symparam import expression as ex
from symparam.errors import BadValue, NotDerivable
from symparam.grammar import Rule
from symparam.polynomial import Polynomial
from symparam.smooth import rounds

#: A cycle of more numbers than this is not gone through.
MAX_CYCLE = 100_000


def composed(rule: Rule, dims: Mapping[str, ex.Expr]) -> ex.Expr:
    """A rule with the dims before it replaced, its own rounding inside.

    >>> from symparam.grammar import parse_rule
    >>> print(composed(parse_rule("8/3*d_model, up to 256"), {}))
    up(8/3*d_model/256)*256
    """
    tree = ex.substitute(rule.expr, dims)
    if rule.rounding is None:
        return tree
    multiple = rule.rounding.multiple
    return ex.Whole(tree / multiple, rule.rounding.mode) * multiple


def cycle(expr: ex.Expr, name: str) -> int:
    """After how many steps of a dim an expression has risen by the same amount as everywhere.

    Raises:
        NotDerivable: it is no sum of multiples of the dim and of its rounded fractions.

    >>> from symparam.grammar import parse_expression
    >>> cycle(parse_expression("L - up((L - 5)/6) + 2*down(L/4)"), "L")
    12
    """
    match expr:
        case ex.Num() | ex.Sym():
            return 1
        case ex.Sum(terms):
            return lcm(*(cycle(term, name) for term in terms))
        case ex.Product(factors):
            varying = [factor for factor in factors if ex.symbols_in(factor)]
            if len(varying) <= 1:
                return cycle(varying[0], name) if varying else 1
        case ex.Quotient(top, ex.Num()):
            return cycle(top, name)
        case ex.Whole(inner, _) if not rounds(inner):
            powers = _line(inner, name).numbers(name)
            if set(powers) <= {0, 1}:
                return powers.get(1, 0).denominator
    raise NotDerivable(f"{expr} is no sum of multiples of {name} and of its rounded fractions")


def _line(expr: ex.Expr, name: str) -> Polynomial:
    try:
        return Polynomial.of(ex.evaluate(expr, {name: Polynomial.named(name)}))
    except (BadValue, ZeroDivisionError):
        raise NotDerivable(f"{expr} is no sum of whole powers of {name}") from None


def never_falls(value: Callable[[int], Any], length: int) -> bool:
    """Whether a function that rises by the same in each cycle never falls within one."""
    if length > MAX_CYCLE:
        return False
    before = value(1)
    for x in range(2, length + 2):
        here = value(x)
        if here < before:
            return False
        before = here
    return True


def grows(expr: ex.Expr, name: str) -> bool:
    """Whether an expression never falls while a dim grows; False where it is of another form.

    >>> from symparam.grammar import parse_expression
    >>> grows(parse_expression("L - up(L/3)"), "L"), grows(parse_expression("up(L/3) - L"), "L")
    (True, False)
    """
    try:
        length = cycle(expr, name)
    except NotDerivable:
        return False
    return never_falls(lambda x: ex.evaluate(expr, {name: x}), length)
