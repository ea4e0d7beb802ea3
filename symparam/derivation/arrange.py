"""Arranging a quantity as a person would write it: by component, by stack, by powers of a width."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import sympy as sp

from symparam import expression as ex
from symparam.arranged import by_degree, degree, expanded, factored, falling, product
from symparam.count import Count
from symparam.derivation.parts import Part, copies_of, written
from symparam.derivation.step import Line, Term, line, matrix_names
from symparam.ledger import Ledger, Matrix
from symparam.polynomial import NOTHING, Polynomial, Powers
from symparam.symbols import SymExpr, collected, expression_of, over


def listed(part: Part, count: Count) -> Line:
    """One copy of a part, entry by entry, as its factors are written."""
    return line(Term(written(share), {share.path: over(count.shares[share.path], part.own_factor)},
                     matrix_names([share.path])) for share in part.shares)


def joined(before: Line) -> Line:
    """Equal terms taken together, each labelled with the matrices that it comes from; those with
    a minus behind the others."""
    shares: dict[Powers, dict[str, ex.Rational]] = {}
    for path, share in before.shares.items():
        for monomial, coefficient in collected(share).terms.items():
            shares.setdefault(monomial, {})[path] = coefficient
    terms = [_monomial_term(m, found, matrix_names(found)) for m, found in shares.items()]
    return line(sorted(terms, key=lambda term: ex.negated(term.shown) is not None))


def _monomial_term(monomial: Powers, coefficients: Mapping[str, ex.Rational],
                   label: tuple[str, ...]) -> Term:
    return Term(product(monomial, sum(coefficients.values())),
                {path: expression_of(monomial, c) for path, c in coefficients.items()}, label)


def taken_apart(found: list[Part], count: Count) -> Line:
    """The whole as a sum of part symbols, those of a repeated stack in one bracket."""
    return line(_apart(found, count))


def _apart(found: list[Part], count: Count) -> Iterator[Term]:
    for inside in brackets(found):
        shares = {path: count.shares[path] for p in inside for path in p.all_paths}
        meanings = {p.symbol: sp.Add(*(count.shares[path] for path in p.paths)) / p.own_factor
                    for p in inside}
        bracket = ex.sum_of(*(ex.Sym(p.symbol) for p in inside))
        shown = ex.product_of(inside[0].copies, bracket) if inside[0].repeated else bracket
        yield Term(shown, shares, (), meanings)


def brackets(found: Iterable[Part]) -> list[list[Part]]:
    """Parts that stand in the same stacks, together; those of most stacks before the others."""
    groups: dict[Any, list[Part]] = {}
    for part in found:
        groups.setdefault(part.place, []).append(part)
    order: list[list[Part]] = []
    pending: list[list[Part]] = []
    for group in groups.values():
        if group[0].repeated:
            pending.append(group)
            continue
        order += sorted(pending, key=lambda g: -len(g[0].stacks))
        order.append(group)
        pending = []
    return order + sorted(pending, key=lambda g: -len(g[0].stacks))


def by_stack(found: list[Part], count: Count, given: Mapping[str, ex.Expr] | None = None) -> Line:
    """The whole: what stands once term by term, each repeated stack in one bracket.

    The first terms are those of the embedding and the head, the last those of single norms.

    Args:
        found: the parts.
        count: the shares, or parts of them.
        given: the dims that were replaced, for the numbers of layers in front of brackets.
    """
    once = {path: p.title for p in found if not p.repeated
            for path in p.paths if path in count.shares}
    single = _merged(once, count)
    order = sorted(single, key=by_degree)
    large = [single[powers] for powers in order if degree(powers) > 1]
    small = [single[powers] for powers in order if degree(powers) <= 1]
    return line([*large, *_repeated(found, count, given or {}), *small])


def _merged(titles: Mapping[str, str], count: Count) -> dict[Powers, Term]:
    """Terms of matrices that stand once, equal ones together, labelled by their parts."""
    groups: dict[Powers, dict[str, ex.Rational]] = {}
    for path in titles:
        for monomial, coefficient in count.polynomials[path].terms.items():
            groups.setdefault(monomial, {})[path] = coefficient
    return {monomial: _monomial_term(monomial, found, tuple(
                dict.fromkeys(filter(None, (titles[path] for path in found)))))
            for monomial, found in groups.items()}


def _repeated(found: list[Part], count: Count, given: Mapping[str, ex.Expr]) -> Iterator[Term]:
    """A term for each bracket; layers that have become alike are counted together."""
    same: dict[Polynomial, tuple[list[Polynomial], list[list[Part]]]] = {}
    for inside in brackets(found):
        if inside[0].repeated:
            sums = _of_one(inside, count, given)
            one = sum(sums, NOTHING)
            if one != 0:
                same.setdefault(one, (sums, []))[1].append(inside)
    for sums, groups in same.values():
        yield _bracket(sums, groups, count, given)


def _of_one(inside: list[Part], count: Count, given: Mapping[str, ex.Expr]) -> list[Polynomial]:
    """What each part of a bracket adds in one layer."""
    own = inside[0].own_factor_under(given)
    paths = [[path for path in p.paths if path in count.shares] for p in inside]
    if own.is_Symbol:
        return [sum((count.polynomials[path] for path in each), NOTHING).divided(((own.name, 1),))
                for each in paths]
    return [collected(over(sp.Add(*(count.shares[path] for path in each)), own)) for each in paths]


def _bracket(sums: list[Polynomial], groups: list[list[Part]], count: Count,
             given: Mapping[str, ex.Expr]) -> Term:
    layers = copies_of([extent for group in groups for extent in group[0].extents], given)
    trees = [term for found in _each_once(sums) for tree in falling(found)
             for term in (tree.terms if isinstance(tree, ex.Sum) else (tree,))]
    parts = [p for group in groups for p in group]
    shares = {path: count.shares[path] for p in parts for path in p.all_paths
              if path in count.shares}
    return Term(times(layers, trees), shares, tuple(dict.fromkeys(p.title for p in parts)))


def _each_once(sums: Sequence[Polynomial]) -> list[Polynomial]:
    """Sums of the same whole, in which equal terms are one: of matrices where the first of them
    stood, of vectors where the last did."""
    whole, place = sum(sums, Polynomial({})), dict[Powers, int]()
    for i, each in enumerate(sums):
        for powers in each.terms:
            place[powers] = place.get(powers, i) if degree(powers) > 1 else i
    return [Polynomial({p: whole.terms.get(p, 0) for p in each.terms if place[p] == i})
            for i, each in enumerate(sums)]


def times(layers: ex.Expr, trees: Sequence[ex.Expr]) -> ex.Expr:
    """A number of layers times a block: the block in brackets, one product without them."""
    if len(trees) != 1 or not isinstance(trees[0], ex.Product):
        return ex.product_of(layers, ex.sum_of(*trees))
    first, *rest = trees[0].factors
    if isinstance(first, ex.Num):
        return ex.product_of(first, layers, *rest)
    return ex.product_of(layers, first, *rest)


#: Kinds of weights, and of what has none, in the order in which terms of one power stand.
GROUPS = ("matrices", "products", "states", "embeddings", "norms", "biases")


def kinds(ledger: Ledger) -> dict[str, str]:
    """What kind of weight each entry of a ledger is, by its path."""
    return {**{m.path: group_of(m) for m in ledger}, **{s.path: "states" for s in ledger.states},
            **{p.path: "products" for p in ledger.products}}


def group_of(matrix: Matrix) -> str:
    """What kind of weight it is, for collecting: matrices, embeddings, norms, biases."""
    if (matrix.part in {"token", "head"} and matrix.role != "bias") or matrix.role == "embedding":
        return "embeddings"
    if matrix.part == "norm" or matrix.role == "gain":
        return "norms"
    return "biases" if matrix.role == "bias" else "matrices"


def by_power(count: Count, name: str, kind: Mapping[str, str]) -> Line:
    """The whole by falling powers of one symbol, terms of one kind of weight together."""
    groups: dict[tuple[ex.Rational, str], dict[str, SymExpr]] = {}
    for path, share in count.shares.items():
        for monomial, coefficient in collected(share).terms.items():
            piece = expression_of(monomial, coefficient)
            group = groups.setdefault((degree(monomial, name), _kind(path, kind)), {})
            group[path] = group.get(path, sp.Integer(0)) + piece
    keys = sorted(groups, key=lambda key: (-key[0], GROUPS.index(key[1])))
    return line(_power_term(groups[key], name, key) for key in keys)


def _kind(path: str, kind: Mapping[str, str]) -> str:
    """The kind of a share: of the entry that it is of, or a paper's own term."""
    return kind.get(path) or kind.get(path.rpartition("[")[0], "products")


def _power_term(shares: Mapping[str, SymExpr], of: str, key: tuple[ex.Rational, str]) -> Term:
    power, group = key
    whole = collected(sp.Add(*shares.values()))
    if len(whole.terms) == 1:
        return Term(expanded(whole), shares, (group,))
    bare = ((of, power),) if power else ()
    coefficient_tree, power_tree = factored(whole.divided(bare)), product(bare)
    shown = ex.product_of(*(coefficient_tree.factors if isinstance(coefficient_tree, ex.Product)
                            else (coefficient_tree,)), power_tree)
    return Term(shown, shares, (group,))
