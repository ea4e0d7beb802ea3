"""How polynomials are written: one order of terms and factors, common factors in front.

Trees, as lines are made of; nothing here knows SymPy. What is no name (a rounded rule, a sum below
a line) has a name here that stands for it, and is written as what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from symparam import expression as ex
from symparam.dims import PRIME, order_key
from symparam.polynomial import Polynomial, Powers

#: Names in brackets, which no dim can have, with what each stands for.
STANDS_FOR: dict[str, ex.Expr] = {}


def name_key(name: str) -> tuple[int, int, str]:
    """A sort key for names; what stands for something else comes last."""
    return (1, 0, name) if name in STANDS_FOR else (0, *order_key(name))


def written_order(powers: Powers) -> Powers:
    """Powers in the order in which they are written."""
    return tuple(sorted(powers, key=lambda power: name_key(power[0])))


def degree(powers: Powers, of: Collection[str] | None = None) -> ex.Rational:
    """The degree of a product, in some names together or in all."""
    return sum(e for name, e in powers if of is None or name in of)


def by_names(powers: Powers) -> list[Any]:
    """A sort key: in the order in which names are written, high powers first."""
    return sorted((name_key(name), -e) for name, e in powers)


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

def of_degrees(found: Iterable[Powers], of: Collection[str] | None = None) -> list[list[Powers]]:
    """Products by falling degree, in some names together or in all."""
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
    marks they bear) apart from the others, and again by the names that they share, first the one
    that most of them have, a number of layers where it is as many."""
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
    most = having[max(having, key=lambda name: (len(having[name]), name[0] == "L", name))]
    yield _only(found, most)
    yield from sharing(_only(found, found.terms.keys() - set(most)))


def _only(found: Polynomial, some: Iterable[Powers]) -> Polynomial:
    """Some of the terms, in their order."""
    kept = set(some)
    return Polynomial({powers: c for powers, c in found.terms.items() if powers in kept})
