"""Sums as a person writes them: by what their terms share, in brackets, factored where it goes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import sympy as sp

from symparam import expression as ex
from symparam.arranged import by_degree, expanded, is_marked, product, sharing
from symparam.polynomial import Polynomial, Powers
from symparam.symbols import SymExpr, collected, expression_of, rational

#: A bracket of more terms than this is not taken apart into factors.
MOST_FACTORED = 24


def written(expr: SymExpr) -> ex.Expr:
    """A long expression as a person writes it, by what its terms share.

    >>> from symparam.symbols import symbol
    >>> V, L, d, f = (symbol(name) for name in ("V", "L", "d_model", "d_ff"))
    >>> h, k, w = symbol("n_heads"), symbol("n_kv"), symbol("d_head")
    >>> print(written(d * (3 * f + 2 * w * h + 2 * w * k + 2)))
    d_model*(2*d_head*(n_heads + n_kv) + 3*d_ff + 2)
    >>> print(written(2 * V + L * (3 * f + 2 * w * h + 2 * w * k + 2) + 1))
    L*(2*d_head*(n_heads + n_kv) + 3*d_ff + 2) + 2*V + 1
    >>> print(written(193 * L * d / 8 + 2 * V + 2 * L + 1))
    L*(193/8*d_model + 2) + 2*V + 1
    """
    return by_sharing(collected(expr))


def signed(found: Polynomial) -> ex.Expr:
    """A sum as a product of sums where it is one, its sign in front, brackets beginning with a
    plus.

    >>> from symparam.symbols import symbol
    >>> h, k = symbol("n_heads"), symbol("n_kv")
    >>> str(signed(collected(2 * symbol("L") * (k - h))))
    '-2*L*(n_heads - n_kv)'
    """
    front, number = found.common(), _evenly(found)
    brackets = list[Polynomial]()
    for bracket in _brackets(found.divided(front, number)) if found.terms else ():
        if bracket.terms[min(bracket.terms, key=_marked_first)] < 0:
            number, bracket = -number, -bracket
        if bracket != 1:
            brackets.append(bracket)
    # Lines break inside the last bracket: behind a divisor the longest stands there.
    under = any(power < 0 for _, power in front)
    brackets.sort(key=lambda b: (not under and not any(map(is_marked, b.terms)), len(b.terms)))
    size = -number if number < 0 else number
    shown = ex.flat_product(product(front, size), *map(_inside, brackets))
    return shown if size == number else -shown


def _evenly(found: Polynomial) -> ex.Rational:
    """The number in front of a bracket: a fraction only where each term has its denominator."""
    below = {value.denominator for value in found.terms.values()}
    return 1 if len(below) > 1 else found.content()


def by_sharing(found: Polynomial) -> ex.Expr:
    """A sum as terms that share nothing, those with a plus first."""
    return ex.sum_of(*sorted(map(signed, sharing(found)),
                             key=lambda term: ex.negated(term) is not None))


def _brackets(found: Polynomial) -> list[Polynomial]:
    """The brackets of which a sum without a common factor is the product."""
    every = [power for powers in found.terms for power in powers]
    if not 1 < len(found.terms) <= MOST_FACTORED or not all(
            isinstance(exponent, int) and exponent > 0 for _, exponent in every):
        return [found]
    # A name that stands in one term alone, by itself, is in one factor: any other would divide
    # that term and all the rest, which share nothing.
    often = Counter(name for name, _ in every)
    if any(exponent == 1 and often[name] == 1 for name, exponent in every):
        return [found]
    whole = sp.Add(*(expression_of(*term) for term in found.terms.items()))
    number, factors = sp.factor_list(whole)
    first, *others = (collected(factor) for factor, power in factors for _ in range(power))
    return [first * rational(number), *others]


def _inside(bracket: Polynomial) -> ex.Expr:
    """The inside of a bracket, again by what its terms share."""
    if 1 < len(list(sharing(bracket))) < len(bracket.terms):
        return by_sharing(bracket)
    return expanded(bracket, _marked_first)


def _marked_first(powers: Powers) -> Any:
    """A sort key: the second model's products first, then as everywhere."""
    return not is_marked(powers), by_degree(powers)
