"""How polynomials are written: one order of terms and factors, common factors in front.

Trees, as lines are made of; nothing here knows SymPy. What is no name (a rounded rule, a sum below
a line) has a name here that stands for it, and is written as what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from symparam import expression as ex
from symparam.dims import order_key
from symparam.polynomial import NOTHING, Polynomial, Powers

#: A number of layers goes before a bracket when so many terms have it; fewer are left alone.
BRACKET = 3

#: Names in brackets, which no dim can have, with what each stands for.
STANDS_FOR: dict[str, ex.Expr] = {}


def name_key(name: str) -> tuple[int, int, str]:
    """A sort key for names; what stands for something else comes last."""
    return (1, 0, name) if name in STANDS_FOR else (0, *order_key(name))


def written_order(powers: Powers) -> Powers:
    """Powers in the order in which they are written."""
    return tuple(sorted(powers, key=lambda power: name_key(power[0])))


def degree(powers: Powers, of: str | None = None) -> ex.Rational:
    """The degree of a product, in one name or in all together."""
    return sum(e for name, e in powers if of is None or name == of)


def by_names(powers: Powers) -> list[Any]:
    """A sort key: in the order in which names are written, high powers first."""
    return [(name_key(name), -e) for name, e in written_order(powers)]


def by_degree(powers: Powers) -> tuple[Any, ...]:
    """A sort key: high degree first, then in the order in which names are written."""
    return -degree(powers), by_names(powers)


def product(powers: Powers, coefficient: ex.Rational = 1, extra: ex.Expr | None = None) -> ex.Expr:
    """A product as it is written: number, names, then an extra factor; below the line what has a
    negative exponent.

    >>> from fractions import Fraction
    >>> str(product((("L", 1), ("n_devices", -1)), Fraction(3, 2)))
    '3*L/(2*n_devices)'
    """
    ordered = written_order(powers)
    above = [_power(name, e) for name, e in ordered if e > 0]
    under = [_power(name, -e) for name, e in ordered if e < 0]
    above += [] if extra is None else [extra]
    if not under:
        return ex.product_of(ex.Num(ex.whole(coefficient)), *above)
    return ex.Quotient(ex.product_of(ex.Num(coefficient.numerator), *above),
                       ex.product_of(ex.Num(coefficient.denominator), *under))


def _power(name: str, exponent: ex.Rational) -> ex.Expr:
    inner = STANDS_FOR.get(name) or ex.Sym(name)
    return inner if exponent == 1 else ex.Power(inner, ex.whole(exponent))


def expanded(found: Polynomial, key: Callable[[Powers], Any] = by_degree) -> ex.Expr:
    """A sum term by term."""
    return ex.sum_of(*(product(powers, found.terms[powers])
                       for powers in sorted(found.terms, key=key)))


def front(found: Polynomial) -> tuple[Powers, ex.Rational]:
    """The largest product and number that divide all terms, below 0 where these all are."""
    number = found.content()
    return found.common(), -number if all(c < 0 for c in found.terms.values()) else number


def factored(found: Polynomial) -> ex.Expr:
    """Terms with their common factor in front: ``2*d_model*d_head*(n_heads + n_kv)``.

    >>> d, h, k = map(Polynomial.named, ("d_model", "n_heads", "n_kv"))
    >>> str(factored(2 * d * h + 2 * d * k))
    '2*d_model*(n_heads + n_kv)'
    """
    if len(found.terms) < 2:
        return expanded(found)
    powers, number = front(found)
    inner = expanded(found.divided(powers, number))
    return inner if not powers and number == 1 else product(powers, number, inner)


def falling(found: Polynomial) -> Iterator[ex.Expr]:
    """Terms of falling degree, those of one with what they share in front."""
    groups: dict[ex.Rational, dict[Powers, ex.Rational]] = {}
    for powers, value in found.terms.items():
        groups.setdefault(degree(powers), {})[powers] = value
    for each in sorted(groups, reverse=True):
        yield factored(Polynomial(groups[each]))


# --- long sums --------------------------------------------------------------------------------

def layered(found: Polynomial, numbers: bool = False) -> ex.Expr:
    """A long sum: what all terms share in front, then each number of layers before one bracket,
    terms that differ in one symbol of a kind joined.

    Args:
        found: the polynomial.
        numbers: whether a number that all terms share stands in front without a name.
    """
    if len(found.terms) < 2:
        return expanded(found)
    powers, number = _common(found)
    if not powers and not numbers:
        return ex.sum_of(*_top(found))
    inner = found.divided(powers, number)
    return product(powers, number, ex.sum_of(*(_inside(inner) if powers else _top(inner))))


def _common(found: Polynomial) -> tuple[Powers, ex.Rational]:
    """The powers and the number that all terms share; a fraction is not drawn out."""
    whole = all(isinstance(c, int) for c in found.terms.values())
    return found.common(), found.content() if whole else 1


def _top(found: Polynomial) -> Iterator[ex.Expr]:
    """The terms of a sum that stands alone: what has no layers, layers, numbers."""
    left, brackets = _sorted(found, by_degree), list[ex.Expr]()
    names = dict.fromkeys(name for powers in left.terms for name, _ in written_order(powers)
                          if _kind(name) == "L")
    for depth in names:
        group = _some(left, lambda powers, depth=depth: dict(powers).get(depth, 0) > 0)
        if BRACKET <= len(group.terms) < len(left.terms):
            left = _some(left, lambda powers, group=group: powers not in group.terms)
            brackets.append(layered(group))
    for each in dict.fromkeys(degree(powers) for powers in left.terms):
        if each:
            yield from _joined(_some(left, lambda powers, each=each: degree(powers) == each))
    yield from brackets
    yield from _joined(_some(left, lambda powers: not degree(powers)))


def _inside(found: Polynomial) -> Iterator[ex.Expr]:
    """The terms of a bracket: in the order of their symbols, numbers last."""
    yield from _joined(_some(found, bool))
    yield from (product(powers, c) for powers, c in found.terms.items() if not powers)


def _joined(found: Polynomial) -> Iterator[ex.Expr]:
    """Terms in written order; those that differ in one symbol of a kind become a product:
    ``2*d_head*n_heads + 2*d_head*n_kv`` is ``2*d_head*(n_heads + n_kv)``."""
    left = _sorted(found, by_names).terms
    while left:
        first = next(iter(left))
        group = max((_alike(left, first, name) for name, e in written_order(first) if e == 1),
                    key=len, default=[first])
        same = len({left[powers] for powers in group}) == 1
        if len(group) < 2 or not (same or all(isinstance(left[p], int) for p in group)):
            group = [first]
        yield _of_one_kind(Polynomial({powers: left.pop(powers) for powers in group}))


def _alike(terms: dict[Powers, ex.Rational], first: Powers, name: str) -> list[Powers]:
    """The products that are like the first but for one symbol, which is of the same kind."""
    rest = _without(first, name)
    return [] if not rest else [
        powers for powers in terms for other, e in powers
        if e == 1 and _kind(other) == _kind(name) and _without(powers, other) == rest]


def _of_one_kind(found: Polynomial) -> ex.Expr:
    """Terms that share all but a symbol, with what they share in front."""
    if len(found.terms) == 1:
        return expanded(found)
    powers, number = _common(found)
    values = set(found.terms.values())
    number = values.pop() if len(values) == 1 else number
    inner = found.divided(powers, number)
    return product(powers, number, ex.sum_of(*(
        product(each, c) for each, c in inner.terms.items())))


def _some(found: Polynomial, keep: Any) -> Polynomial:
    """Some of the terms."""
    kept = {powers: c for powers, c in found.terms.items() if keep(powers)}
    return Polynomial(kept) if kept else NOTHING


def _sorted(found: Polynomial, key: Callable[[Powers], Any]) -> Polynomial:
    return Polynomial({powers: found.terms[powers] for powers in sorted(found.terms, key=key)})


def _without(powers: Powers, name: str) -> Powers:
    return tuple(power for power in powers if power[0] != name)


def _kind(name: str) -> str:
    """What a symbol counts, by the beginning of its name: ``n``, ``d``, ``L``."""
    return name.partition("_")[0]
