"""Slopes from counts alone: a polynomial through exact points, differentiated point by point.

No formula is known here, and no symbol. Counts P(x), P(x + 1), ... determine a polynomial; if
one more count than its degree needs lies on it as well, it is taken to be the count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

Count = Callable[[Fraction], Fraction]


def slope(count: Count, at: int, degree: int = 6) -> Fraction:
    """The derivative of a count at a point, from degree + 2 counts; the last one is a check.

    The count times x² is interpolated, for rules divide by x: P' = (Q' − 2·x·P)/x².
    """
    xs = [Fraction(at + k) for k in range(degree + 2)]
    q = {x: x**2 * Fraction(count(x)) for x in xs}
    fitted = {x: q[x] for x in xs[:-1]}
    if through(fitted, xs[-1]) != q[xs[-1]]:
        raise ValueError("the counts lie on no polynomial of this degree")
    x = xs[0]
    return (tangent(fitted, x) - 2 * x * Fraction(count(x))) / x**2


def through(points: Mapping[Fraction, Fraction], at: Fraction) -> Fraction:
    """The value at a point of the polynomial through others (Lagrange)."""
    total = Fraction(0)
    for x, y in points.items():
        others = [z for z in points if z != x]
        total += y * product([at - z for z in others]) / product([x - z for z in others])
    return total


def tangent(points: Mapping[Fraction, Fraction], at: Fraction) -> Fraction:
    """The slope of the polynomial through some points at one of them."""
    others = [z for z in points if z != at]
    own = points[at] * sum((1 / (at - z) for z in others), Fraction(0))
    rest = sum((points[x] * product([at - z for z in others if z != x])
                / product([x - z for z in points if z != x]) for x in others), Fraction(0))
    return own + rest


def product(numbers: Sequence[Fraction]) -> Fraction:
    """The product of some numbers."""
    result = Fraction(1)
    for number in numbers:
        result *= number
    return result


def first_under(share: Callable[[int], Fraction | None], limit: Fraction, step: int,
                top: int) -> tuple[int | None, int | None]:
    """By walking: the last multiple at which a share is not under a limit, and the next one.

    Multiples at which there is no share are passed over.
    """
    before = first = None
    for x in range(step, top + step, step):
        value = share(x)
        if value is None:
            continue
        if value >= limit:
            before, first = x, None
        elif first is None:
            first = x
    return before, first
