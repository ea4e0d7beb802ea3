"""How polynomials are written: one order of terms and factors, common factors in front.

Trees, as lines are made of; nothing here knows SymPy. What is no name (a rounded rule, a sum below
a line) has a name here that stands for it, and is written as what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from symparam import expression as ex
from symparam.dims import PRIME, order_key
from symparam.polynomial import Polynomial, Powers

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
    return product(powers, number, expanded(found.divided(powers, number)))


# --- groups of terms --------------------------------------------------------------------------

def of_degrees(found: Iterable[Powers], of: str | None = None) -> list[list[Powers]]:
    """Products by falling degree, in one name or in all together."""
    groups: dict[ex.Rational, list[Powers]] = {}
    for powers in found:
        groups.setdefault(degree(powers, of), []).append(powers)
    return [groups[each] for each in sorted(groups, reverse=True)]


def falling(found: Polynomial) -> ex.Expr:
    """Terms of falling degree, those of one with what they share in front."""
    return ex.flat_sum(factored(_only(found, group)) for group in of_degrees(found.terms))


def is_marked(powers: Powers) -> bool:
    """Whether a dim of the second of two models is in a product."""
    return any(name.endswith(PRIME) for name, _ in powers)


def sharing(found: Polynomial) -> Iterator[Polynomial]:
    """Terms in groups: together where they share a factor, else those of the second model (whose
    marks they bear) apart from the others, and again by the names that they share."""
    if len(found.terms) < 2 or found.common():
        yield from [found] if found.terms else []
        return
    marked = set(filter(is_marked, found.terms))
    if 0 < len(marked) < len(found.terms):
        together = [_only(found, marked), _only(found, found.terms.keys() - marked)]
        yield from (group for half in together for group in sharing(half))
        return
    first: Powers = min(found.terms, key=by_degree)
    names = dict(first)
    if not names:  # a number beside what is divided
        yield found
        return
    having = {name: [powers for powers in found.terms if name in dict(powers)] for name in names}
    most = having[max(having, key=lambda name: (len(having[name]), name))]
    yield _only(found, most)
    yield from sharing(_only(found, found.terms.keys() - set(most)))


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
        group = [powers for powers in left.terms if dict(powers).get(depth, 0) > 0]
        if BRACKET <= len(group) < len(left.terms):
            brackets.append(layered(_only(left, group)))
            left = _only(left, left.terms.keys() - set(group))
    for group in of_degrees(left.terms):
        if degree(group[0]):
            yield from _joined(_only(left, group))
    yield from brackets
    yield from _joined(_only(left, [powers for powers in left.terms if not degree(powers)]))


def _inside(found: Polynomial) -> Iterator[ex.Expr]:
    """The terms of a bracket: in the order of their symbols, numbers last."""
    yield from _joined(_only(found, filter(None, found.terms)))
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


def _only(found: Polynomial, some: Iterable[Powers]) -> Polynomial:
    """Some of the terms, in their order."""
    kept = set(some)
    return Polynomial({powers: c for powers, c in found.terms.items() if powers in kept})


def _sorted(found: Polynomial, key: Callable[[Powers], Any]) -> Polynomial:
    return Polynomial({powers: found.terms[powers] for powers in sorted(found.terms, key=key)})


def _without(powers: Powers, name: str) -> Powers:
    return tuple(power for power in powers if power[0] != name)


def _kind(name: str) -> str:
    """What a symbol counts, by the beginning of its name: ``n``, ``d``, ``L``."""
    return name.partition("_")[0]
