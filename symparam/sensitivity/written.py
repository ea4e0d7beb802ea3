"""Polynomials as a person writes them: common factors in front, layers in one bracket.

Worked out on plain dictionaries: a long count is taken apart and put together many times.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from symparam import expression as ex
from symparam.dims import order_key
from symparam.symbols import SymExpr, from_sympy, monomials

#: Names with their exponents, in written order.
Powers: TypeAlias = tuple[tuple[str, ex.Rational], ...]
#: Products of powers with their coefficients.
Terms: TypeAlias = Mapping[Powers, Fraction]

#: A number of layers goes before a bracket when so many terms have it; fewer are left alone.
BRACKET = 3


def written(expr: SymExpr, numbers: bool = False) -> ex.Expr:
    """An expression as a tree; the factors that all terms share stand in front.

    Args:
        expr: the expression.
        numbers: whether a number that all terms share stands in front without a symbol.

    >>> from symparam.symbols import symbol
    >>> V, L, d, f = (symbol(name) for name in ("V", "L", "d_model", "d_ff"))
    >>> h, k, w = symbol("n_heads"), symbol("n_kv"), symbol("d_head")
    >>> print(written(d * (3 * f + 2 * w * h + 2 * w * k + 2)))
    d_model*(3*d_ff + 2*d_head*(n_heads + n_kv) + 2)
    >>> print(written(2 * V + L * (3 * f + 2 * w * h + 2 * w * k + 2) + 1))
    2*V + L*(3*d_ff + 2*d_head*(n_heads + n_kv) + 2) + 1
    >>> print(written(193 * L * d / 8 + 2 * V + 2 * L + 1))
    193/8*L*d_model + 2*V + 2*L + 1
    """
    terms = terms_of(expr)
    return from_sympy(expr) if terms is None else arranged(terms, numbers)


def terms_of(expr: SymExpr) -> dict[Powers, Fraction] | None:
    """The terms of an expression; None where something else than powers of dims is in it."""
    found: dict[Powers, Fraction] = {}
    for monomial, c in monomials(expr).items():
        if not all(base.is_Symbol and e.is_Rational for base, e in monomial):
            return None
        powers = ((base.name, ex.whole(Fraction(int(e.p), int(e.q)))) for base, e in monomial)
        found[ordered(powers)] = Fraction(int(c.p), int(c.q))
    return found


def ordered(powers: Iterable[tuple[str, ex.Rational]]) -> Powers:
    """Powers in the order in which they are written, without those that are 1."""
    return tuple(sorted((p for p in powers if p[1]), key=lambda p: order_key(p[0])))


def arranged(terms: Terms, numbers: bool = False) -> ex.Expr:
    """Terms as a tree, as :func:`written` does it."""
    if len(terms) < 2:
        return ex.sum_of(*(_tree(powers, c) for powers, c in terms.items()))
    front, number = common(terms)
    if not front and not numbers:
        return ex.sum_of(*_top(terms))
    inner = divided(terms, front, number)
    return _tree(front, number, ex.sum_of(*(_inside(inner) if front else _top(inner))))


def common(terms: Terms) -> tuple[Powers, Fraction]:
    """The powers and the number that all terms share; a fraction is not drawn out."""
    shared: dict[str, ex.Rational] | None = None
    for powers in terms:
        own = dict(powers)
        shared = own if shared is None else {
            name: _shared(shared.get(name, 0), own.get(name, 0)) for name in {*shared, *own}}
    number = math.gcd(*(c.numerator for c in terms.values()))
    if any(c.denominator != 1 for c in terms.values()):
        number = 1
    return ordered((shared or {}).items()), Fraction(number)


def _shared(first: ex.Rational, second: ex.Rational) -> ex.Rational:
    """The power that two terms share; a denominator only where both have it."""
    if first > 0 and second > 0:
        return min(first, second)
    return max(first, second) if first < 0 and second < 0 else 0


def divided(terms: Terms, front: Powers, number: Fraction) -> dict[Powers, Fraction]:
    """Terms over a factor."""
    return {_times(powers, ((name, -e) for name, e in front)): c / number
            for powers, c in terms.items()}


def _times(powers: Powers, others: Iterable[tuple[str, ex.Rational]]) -> Powers:
    found = dict(powers)
    for name, e in others:
        found[name] = found.get(name, 0) + e
    return ordered(found.items())


# --- sums -------------------------------------------------------------------------------------

def _top(terms: Terms) -> Iterator[ex.Expr]:
    """The terms of a sum that stands alone: what has no layers, layers, numbers."""
    left, brackets = dict(sorted(terms.items(), key=_degree_first)), list[ex.Expr]()
    names = dict.fromkeys(name for powers in left for name, _ in powers if _kind(name) == "L")
    for depth in names:
        group = {powers: c for powers, c in left.items() if dict(powers).get(depth, 0) > 0}
        if BRACKET <= len(group) < len(left):
            left = {powers: c for powers, c in left.items() if powers not in group}
            brackets.append(arranged(group))
    by_degree: dict[ex.Rational, dict[Powers, Fraction]] = {}
    for powers, c in left.items():
        by_degree.setdefault(_degree(powers), {})[powers] = c
    numbers = by_degree.pop(0, {})
    for group in by_degree.values():
        yield from _joined(group)
    yield from brackets
    yield from _joined(numbers)


def _inside(terms: Terms) -> Iterator[ex.Expr]:
    """The terms of a bracket: in the order of their symbols, numbers last."""
    yield from _joined({powers: c for powers, c in terms.items() if powers})
    yield from (_tree(powers, c) for powers, c in terms.items() if not powers)


def _joined(terms: Terms) -> Iterator[ex.Expr]:
    """Terms in written order; those that differ in one symbol of a kind become a product:
    ``2*d_head*n_heads + 2*d_head*n_kv`` is ``2*d_head*(n_heads + n_kv)``."""
    left = dict(sorted(terms.items(), key=lambda item: _written_order(item[0])))
    while left:
        first = next(iter(left))
        group = max((_alike(left, first, name) for name, e in first if e == 1), key=len,
                    default=[first])
        same = len({left[powers] for powers in group}) == 1
        if len(group) < 2 or not (same or all(left[p].denominator == 1 for p in group)):
            group = [first]
        yield _factored({powers: left.pop(powers) for powers in group})


def _alike(terms: Terms, first: Powers, name: str) -> list[Powers]:
    """The products that are like the first but for one symbol, which is of the same kind."""
    rest = _without(first, name)
    return [] if not rest else [
        powers for powers in terms for other, e in powers
        if e == 1 and _kind(other) == _kind(name) and _without(powers, other) == rest]


def _factored(terms: Terms) -> ex.Expr:
    """Terms that share all but a symbol, with what they share in front."""
    if len(terms) == 1:
        return ex.sum_of(*(_tree(powers, c) for powers, c in terms.items()))
    front, number = common(terms)
    if len(set(terms.values())) == 1:
        number = next(iter(terms.values()))
    inner = divided(terms, front, number)
    return _tree(front, number, ex.sum_of(*(_tree(p, c) for p, c in inner.items())))


def _tree(powers: Powers, coefficient: Fraction, extra: ex.Expr | None = None) -> ex.Expr:
    """A product as it is written: number, symbols, then an extra factor; over what divides."""
    over = [_power(name, e) for name, e in powers if e > 0]
    under = [_power(name, -e) for name, e in powers if e < 0]
    over += [] if extra is None else [extra]
    if not under:
        return ex.product_of(ex.Num(ex.whole(coefficient)), *over)
    return ex.Quotient(ex.product_of(ex.Num(coefficient.numerator), *over),
                       ex.product_of(ex.Num(coefficient.denominator), *under))


def _power(name: str, exponent: ex.Rational) -> ex.Expr:
    return ex.Sym(name) if exponent == 1 else ex.Power(ex.Sym(name), ex.whole(exponent))


def _without(powers: Powers, name: str) -> Powers:
    return tuple(power for power in powers if power[0] != name)


def _kind(name: str) -> str:
    """What a symbol counts, by the beginning of its name: ``n``, ``d``, ``L``."""
    return name.partition("_")[0]


def _degree(powers: Powers) -> ex.Rational:
    return sum(e for _, e in powers)


def _written_order(powers: Powers) -> list[Any]:
    return [(order_key(name), -e) for name, e in powers]


def _degree_first(item: tuple[Powers, Fraction]) -> tuple[Any, ...]:
    return -_degree(item[0]), _written_order(item[0])
