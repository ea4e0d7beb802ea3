"""Signed terms of a difference: what a component gains and loses, in as few products as may be.

Terms are those of a derivation (:class:`symparam.derivation.step.Term`): each holds the share of
every pair of matrices in it, and one that is not their sum cannot be made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

from symparam import expression as ex
from symparam.arithmetic import over
from symparam.arranged import by_degree, expanded, product
from symparam.derivation.step import Line, Term, line, matrix_names
from symparam.diff.match import Entries, Pair, title
from symparam.diff.side import Side
from symparam.dims import PRIME, primed
from symparam.polynomial import Polynomial, Powers
from symparam.polynomial import joined as multiplied
from symparam.symbols import SymExpr, collected, exact, expression_of

#: A bracket of more terms than this is not taken apart into factors.
MOST_FACTORED = 24
#: A bracket of more terms than this is written with brackets inside.
LONG = 3

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
    return Line(tuple(term for group in chosen for term in _terms(group)))


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
    factors = bare.factors if isinstance(bare, ex.Product) else (bare,)
    shown = ex.product_of(ex.Num(ex.whole(abs(number))), *factors) if number else ex.Num(0)
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


def _terms(found: Mapping[str, SymExpr]) -> Iterator[Term]:
    """Terms of some pairs, those that share a factor in one."""
    pieces: dict[Powers, dict[str, ex.Rational]] = {}
    for key, share in found.items():
        for monomial, coefficient in collected(share).terms.items():
            pieces.setdefault(monomial, {})[key] = coefficient
    totals = {m: sum(of.values()) for m, of in pieces.items()}
    for chosen in divided({m: c for m, c in totals.items() if c != 0}):
        inside: dict[str, SymExpr] = {}
        for monomial in chosen:
            for key, coefficient in pieces[monomial].items():
                inside[key] = inside.get(key, 0) + expression_of(monomial, coefficient)
        inside = {key: share for key, share in inside.items() if share != 0}
        yield Term(signed(chosen), inside, matrix_names(inside))
    cancelled = {m: of for m, of in pieces.items() if totals[m] == 0}
    if cancelled:
        yield _nothing(cancelled)


def _nothing(cancelled: Mapping[Powers, Mapping[str, ex.Rational]]) -> Term:
    """Shares of different matrices that cancel: shown as nothing, kept for the proof."""
    inside: dict[str, SymExpr] = {}
    for monomial, of in cancelled.items():
        for key, coefficient in of.items():
            inside[key] = inside.get(key, 0) + expression_of(monomial, coefficient)
    return Term(ex.Num(0), inside, matrix_names(inside))


def divided(terms: dict[Powers, ex.Rational]) -> Iterator[dict[Powers, ex.Rational]]:
    """Powerss in groups: together where they share a factor, else those of the second model
    (whose marks they bear) apart from the others, and again by the widths that they share."""
    if not terms:
        return
    if Polynomial(terms).common() or len(terms) == 1:
        yield terms
        return
    marked = {m: c for m, c in terms.items() if _is_marked(m)}
    if marked and len(marked) < len(terms):
        yield from divided(marked)
        yield from divided({m: c for m, c in terms.items() if m not in marked})
        return
    first = sorted(terms, key=by_degree)[0]
    bases = {base for base, _ in first}
    if not bases:  # a number beside what is divided
        yield terms
        return
    alike = {m: c for m, c in terms.items() if bases & {base for base, _ in m}}
    best = max(bases, key=lambda b: (sum(b in dict(m) for m in alike), str(b)))
    together = {m: c for m, c in terms.items() if best in dict(m)}
    yield together
    yield from divided({m: c for m, c in terms.items() if m not in together})


def _is_marked(monomial: Powers) -> bool:
    return any(str(base).endswith(PRIME) for base, _ in monomial)


def signed(terms: Mapping[Powers, ex.Rational]) -> ex.Expr:
    """A sum as a product with its sign in front, brackets beginning with a plus.

    >>> from symparam.symbols import symbol
    >>> h, k = symbol("n_heads"), symbol("n_kv")
    >>> str(signed(collected(2 * symbol("L") * (k - h)).terms))
    '-2*L*(n_heads - n_kv)'
    """
    whole, scale, under = Polynomial(terms).cleared()
    front, number = whole.common(), whole.content()
    rest = whole.divided(front, number).terms
    front = multiplied(front, tuple((name, -power) for name, power in under))
    number = over(number, scale)
    brackets = []
    for bracket in _factors(rest):
        ordered = sorted(bracket, key=_written_key)
        if bracket[ordered[0]] < 0:
            number, bracket = -number, {m: -c for m, c in bracket.items()}
        if bracket != {(): 1}:
            brackets.append(bracket)
    # Lines break inside the last bracket: behind a divisor the longest stands there.
    brackets.sort(key=lambda b: (not under and not any(map(_is_marked, b)), len(b)))
    return _product(front, number, [_tree(b) for b in brackets])


def _product(front: Powers, number: ex.Rational, brackets: Sequence[ex.Expr]) -> ex.Expr:
    sign = -1 if number < 0 else 1
    plain = product(front, -number if number < 0 else number)
    factors = plain.factors if isinstance(plain, ex.Product) else (plain,)
    whole = ex.product_of(*factors, *brackets)
    return -whole if sign < 0 else whole


def _factors(terms: Mapping[Powers, ex.Rational]) -> list[dict[Powers, ex.Rational]]:
    """The brackets of which a sum without a common factor is the product."""
    if len(terms) > MOST_FACTORED or len(terms) == 1:
        return [dict(terms)]
    whole = sp.Add(*(expression_of(m, c) for m, c in terms.items()))
    number, found = sp.factor_list(whole)
    brackets = [collected(factor).terms for factor, power in found for _ in range(power)]
    if number != 1:
        brackets[0] = (Polynomial(brackets[0]) * collected(number)).terms
    return brackets


def _written_key(monomial: Powers) -> Any:
    """The second model's monomials first, then as everywhere."""
    return (not _is_marked(monomial), by_degree(monomial))


def _tree(terms: Mapping[Powers, ex.Rational]) -> ex.Expr:
    """The inside of a bracket; a long one again by what its terms share."""
    if len(terms) > LONG:
        groups = list(divided(dict(terms)))
        if 1 < len(groups) < len(terms):
            return ex.sum_of(*in_order(groups))
    return expanded(Polynomial(terms), _written_key)


def in_order(groups: Iterable[Mapping[Powers, ex.Rational]]) -> list[ex.Expr]:
    """Groups of monomials as terms, those with a plus first."""
    return sorted((signed(group) for group in groups), key=lambda t: ex.negated(t) is not None)


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
