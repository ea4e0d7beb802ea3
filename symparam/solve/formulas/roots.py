"""Real roots on numbers: all of them, isolated exactly, and why one is not of use."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.errors import BadValue
from symparam.grammar import Rule
from symparam.solve.formulas.closed_form import MAX_DEGREE, ClosedForm, coefficients
from symparam.symbols import symbol

#: Roots are known to one part in so many.
DIGITS = 10**15


@dataclass(frozen=True)
class Root:
    """A real root between two fractions, which are one where it is a fraction itself.

    Attributes:
        low, high: the bounds; no other root lies between them.
        rejected: why it cannot be the dim; empty where it can.
    """

    low: Fraction
    high: Fraction
    rejected: str = ""

    @property
    def value(self) -> Fraction:
        """The middle of the bounds, of which fourteen digits are right."""
        return (self.low + self.high) / 2


def real_roots(form: ClosedForm, target: int, numbers: Mapping[str, int],
               rules: Mapping[str, Rule] | None = None,
               zeros: Collection[str] = ()) -> tuple[Root, ...]:
    """All real roots of the equation in one dim, ascending.

    Args:
        form: the closed form, with the count.
        target: what the count is to be.
        numbers: the other dims.
        rules: dims that follow; where one would not be positive, the root is rejected.
        zeros: those of them that may be 0.

    Returns:
        The roots; none where a dim has no number, or the count is no polynomial.

    >>> from symparam.solve.formulas.closed_form import closed_form
    >>> L, d = symbol("L"), symbol("d_model")
    >>> [(int(root.value), root.rejected) for root in
    ...  real_roots(closed_form(12 * L * d**2, "d_model"), 51539607552, {"L": 64})]
    [(-8192, 'it is not positive'), (8192, '')]
    """
    if form.count is None:
        return ()
    table = {symbol(n): sp.Integer(v) for n, v in numbers.items() if n != form.symbol}
    powers = coefficients(form.count.subs(table), symbol(form.symbol))
    if powers is None or not all(c.is_Rational for c in powers.values()):
        return ()
    found = isolated({e: Fraction(int(c.p), int(c.q)) for e, c in powers.items()}, Fraction(target))
    return tuple(_judged(root, form.symbol, numbers, rules or {}, zeros) for root in found)


def isolated(powers: Mapping[ex.Rational, ex.Rational], target: ex.Rational) -> list[Root]:
    """The real roots of Σ c·x^e = target, ascending, none of them 0.

    >>> [float(root.value) for root in isolated({3: Fraction(1)}, Fraction(8))]
    [2.0]
    """
    sides: dict[ex.Rational, ex.Rational] = {0: -target}
    for exponent, coefficient in powers.items():
        sides[exponent] = sides.get(exponent, 0) + coefficient
    low = min(sides)
    if max(sides) - low > MAX_DEGREE:
        return []
    x = sp.Symbol("x")
    poly = sp.Poly({(e - low,): sp.Rational(c.numerator, c.denominator)
                    for e, c in sides.items()}, x)
    if poly.degree() < 1:
        return []
    poly = poly.sqf_part()
    return [_refined(poly, *interval) for interval, _ in poly.intervals() if interval != (0, 0)]


def _refined(poly: Any, low: Any, high: Any) -> Root:
    """An isolated root to fifteen digits."""
    while (high - low) * DIGITS > min(abs(low), abs(high)):
        least = min(abs(low), abs(high)) or max(abs(low), abs(high)) / 2
        eps = least / DIGITS
        low, high = poly.refine_root(low, high, eps=eps)
        if low == high:
            break
    return Root(Fraction(int(low.p), int(low.q)), Fraction(int(high.p), int(high.q)))


def _judged(root: Root, name: str, numbers: Mapping[str, int],
            rules: Mapping[str, Rule], zeros: Collection[str]) -> Root:
    """The root with the reason for which it cannot be the dim, if there is one."""
    if root.high <= 0 or root.low < 0:
        return Root(root.low, root.high, "it is not positive")
    known: dict[str, Any] = {**numbers, name: root.value}
    left = {dim: rule for dim, rule in rules.items() if dim != name}
    for _ in range(len(left)):
        for dim in [d for d, rule in left.items() if _ready(rule, known)]:
            rule = left.pop(dim)
            try:
                value = ex.evaluate(rule.expr, known)
            except (BadValue, ZeroDivisionError):
                continue
            known[dim] = value
            if value < 0 or (value == 0 and dim not in zeros):
                return Root(root.low, root.high, f"{dim} = {rule.expr} would not be positive")
    return root


def _ready(rule: Rule, known: Iterable[str]) -> bool:
    return set(ex.symbols_in(rule.expr)) <= set(known)
