"""Signed terms of a difference: what a component gains and loses, in as few products as may be.

Terms are those of a derivation (:class:`symparam.derivation.step.Term`): each holds the share of
every pair of matrices in it, and one that is not their sum cannot be made.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

import sympy as sp

from symparam import expression as ex
from symparam.arranged import sharing
from symparam.bracketed import signed
from symparam.count import Count
from symparam.derivation.arrange import grouped
from symparam.derivation.step import Line, Term, line, matrix_names
from symparam.diff.match import Entries, Pair, title
from symparam.diff.side import Side
from symparam.dims import primed
from symparam.polynomial import Polynomial, Powers
from symparam.symbols import SymExpr, exact

#: Pairs are joined only with others with which the same happened, matrices not with vectors.
_GROUPS = ({"same", "dims", "shape"}, {"removed"}, {"added"}, {"tied"}, {"untied"})
_LARGE = ("matrices", "embeddings", "states", "products")


def shares(pairs: Iterable[Pair], before: Entries, after: Entries) -> dict[str, SymExpr]:
    """Each pair's share in the difference: the second model's entries less the first one's."""
    return {pair.key: sp.expand(_sum(after, pair.after) - _sum(before, pair.before))
            for pair in pairs}


def _sum(entries: Entries, paths: Sequence[str]) -> SymExpr:
    return sp.Add(*(exact(entries[path].size) for path in paths))


def listed(pairs: Iterable[Pair], found: Mapping[str, SymExpr], before: Entries,
           after: Entries) -> Line:
    """The difference matrix by matrix, as shapes are written in both models.

    Args:
        pairs: the matrices.
        found: their shares, over SymPy's symbols.
        before, after: both models' entries over trees; a share that is not theirs is refused.
    """
    return line(Term(_written(pair, before, after), {pair.key: found[pair.key]},
                     matrix_names([pair.key])) for pair in pairs)


def _written(pair: Pair, before: Entries, after: Entries) -> ex.Expr:
    added = [ex.node(after[path].size) for path in pair.after]
    gone = [-ex.node(before[path].size) for path in pair.before]
    return ex.sum_of(*added, *gone)


def joined(pairs: Iterable[Pair], found: Mapping[str, SymExpr]) -> Line:
    """The same with equal terms taken together, common factors in front, signs outside.

    Labels are the names of the matrices that a term comes from.
    """
    every = list(pairs)
    chosen = ({pair.key: found[pair.key] for pair in every if pair.change in group
               and (pair.kind in _LARGE) is large}
              for large in (True, False) for group in _GROUPS)
    return Line(tuple(term for group in chosen
                      for term in grouped(Count(group).polynomials, _sharing, signed)))


def by_component(pairs: Iterable[Pair], found: Mapping[str, SymExpr]) -> dict[str, Line]:
    """The terms of each component."""
    return {place: joined(inside, found) for place, inside in places(pairs).items()}


def places(pairs: Iterable[Pair]) -> dict[str, tuple[Pair, ...]]:
    """Pairs by the component that they belong to."""
    groups: dict[str, list[Pair]] = {}
    for pair in pairs:
        groups.setdefault(pair.place, []).append(pair)
    return {place: tuple(inside) for place, inside in groups.items()}


def whole(lines: Mapping[str, Line]) -> Line:
    """The terms of all components, those that are multiples of each other in one.

    Labels are the components' names; what many widths enter comes first.
    """
    groups: dict[ex.Expr, list[tuple[str, Term]]] = {}
    for place, own in lines.items():
        for term in own.terms:
            groups.setdefault(_multiple(term.shown)[1], []).append((place, term))
    merged = [_merged(bare, found) for bare, found in groups.items()]
    return Line(tuple(sorted(merged, key=lambda term: _depth(term.shown) < 2)))


def _merged(bare: ex.Expr, found: Sequence[tuple[str, Term]]) -> Term:
    number = sum((_multiple(term.shown)[0] for _, term in found), Fraction(0))
    inside: dict[str, SymExpr] = {}
    for _, term in found:
        for key, share in term.shares.items():
            inside[key] = inside.get(key, 0) + share
    shown = ex.flat_product(ex.Num(ex.whole(abs(number))), bare) if number else ex.Num(0)
    label = tuple(dict.fromkeys(title(place) for place, _ in found))
    return Term(-shown if number < 0 else shown, inside, label)


def _multiple(expr: ex.Expr) -> tuple[Fraction, ex.Expr]:
    """A term as a number times what is left."""
    if isinstance(expr, ex.Num):
        return Fraction(expr.value), ex.Num(1)
    if isinstance(expr, ex.Product) and isinstance(expr.factors[0], ex.Num):
        return Fraction(expr.factors[0].value), ex.product_of(*expr.factors[1:])
    return Fraction(1), expr


def _depth(expr: ex.Expr) -> int:
    """How many widths are multiplied in the largest product of a term."""
    if isinstance(expr, ex.Sum):
        return max(map(_depth, expr.terms))
    if isinstance(expr, ex.Product):
        return sum(map(_depth, expr.factors))
    return int(isinstance(expr, ex.Sym) and not expr.name.startswith("L"))


def _sharing(totals: Mapping[Powers, ex.Rational]) -> Iterator[Collection[Powers]]:
    """Products that share a factor together; last what different matrices cancel of each other,
    which is shown as nothing and kept for the proof."""
    yield from (group.terms for group in sharing(Polynomial(totals)))
    if cancelled := [powers for powers, number in totals.items() if number == 0]:
        yield cancelled


def numbers(before: Side, after: Side) -> dict[str, int]:
    """Numbers for the dims of a difference: marked ones are the second model's, others the
    first's, where it is written in them."""
    return {**{name: after.values[name] for name in after.free},
            **{name: before.values[name] for name in before.free},
            **{primed(name): after.values[name] for name in after.free}}


def value(found: Line, at: Mapping[str, int]) -> int | Fraction:
    """What a line comes to."""
    return ex.whole(sum((Fraction(ex.evaluate(term.shown, at)) for term in found.terms),
                        Fraction(0)))
