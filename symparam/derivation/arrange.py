"""Arranging a quantity as a person would write it: by component, by stack, by powers of a width."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, TypeAlias

import sympy as sp

from symparam import expression as ex
from symparam.arranged import (
    by_degree,
    degree,
    expanded,
    factored,
    falling,
    of_degrees,
    product,
)
from symparam.count import Count
from symparam.derivation.parts import Part, copies_of, written
from symparam.derivation.step import Line, Term, line, matrix_names
from symparam.ledger import Ledger, Matrix
from symparam.polynomial import NOTHING, Polynomial, Powers
from symparam.symbols import KEPT, SymExpr, collected, expression_of, over


def listed(part: Part, count: Count) -> Line:
    """One copy of a part, entry by entry, as its factors are written."""
    return line(Term(written(share), {share.path: over(count.shares[share.path], part.own_factor)},
                     matrix_names([share.path])) for share in part.shares)


def grouped(table: Mapping[str, Polynomial],
            split: Callable[[Mapping[Powers, ex.Rational]], Iterable[Collection[Powers]]],
            write: Callable[[Polynomial], ex.Expr] = expanded,
            label: Callable[[Iterable[str]], tuple[str, ...]] = matrix_names) -> Iterator[Term]:
    """A sum of shares in groups of its products, each a term that knows what every share adds.

    Args:
        table: the shares, by path.
        split: the groups in which the products of all shares stand, from these with their sums,
            which may be 0.
        write: how a group is written.
        label: what a term is called, from the paths of the shares in it, product by product.
    """
    totals: dict[Powers, ex.Rational] = {}
    for own in table.values():
        for powers, number in own.terms.items():
            totals[powers] = totals.get(powers, 0) + number
    for group in split(totals):
        having = [path for powers in group for path, own in table.items() if powers in own.terms]
        inside = {path: sp.Add(*(expression_of(powers, table[path].terms[powers])
                                 for powers in group if powers in table[path].terms))
                  for path in dict.fromkeys(having)}
        yield Term(write(Polynomial({powers: totals[powers] for powers in group})), inside,
                   label(inside))


def alone(found: Iterable[Powers]) -> Iterator[Collection[Powers]]:
    """Products each alone."""
    return ((powers,) for powers in found)


def joined(before: Line) -> Line:
    """Equal terms taken together, each labelled with the matrices that it comes from; those with
    a minus behind the others."""
    return line(sorted(grouped(Count(before.shares).polynomials, alone),
                       key=lambda term: ex.negated(term.shown) is not None))


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


def of_models(found: Iterable[Part]) -> dict[str, list[Part]]:
    """The parts of each model that a model is made of, by its name; of any other all together."""
    groups: dict[str, list[Part]] = {}
    for part in found:
        groups.setdefault(part.stacks[0].part if part.stacks else "", []).append(part)
    return groups


#: The brackets of repeated stacks, by the paths of all shares in them.
Brackets: TypeAlias = dict[tuple[str, ...], tuple[Term, ...]]


def by_stack(found: list[Part], count: Count, given: Mapping[str, ex.Expr] | None = None,
             known: Brackets | None = None) -> Line:
    """The whole: what stands once term by term, each repeated stack in one bracket.

    The first terms are those of the embedding and the head, the last those of single norms; of a
    model that is made of several, so in each of them.

    Args:
        found: the parts.
        count: the shares, or parts of them.
        given: the dims that were replaced, for the numbers of layers in front of brackets.
        known: the brackets of other parts of the same count, which are not written anew; those of
            this one are put there.
    """
    several = of_models(found)
    if len(several) > 1:
        return line([term for own in several.values()
                     for term in by_stack(own, count, given, known).terms])
    title = {path: p.title for p in found if not p.repeated
             for path in p.paths if path in count.shares}
    table = {path: count.polynomials[path] for path in title}
    single = list(grouped(
        table, lambda totals: alone(sorted(totals, key=by_degree)), label=lambda paths: tuple(
            dict.fromkeys(filter(None, (title[path] for path in paths))))))
    large = sum(1 for powers in {powers for own in table.values() for powers in own.terms}
                if degree(powers) > 1)
    paths = tuple(path for p in found if p.repeated for path in p.all_paths if path in count.shares)
    known = {} if known is None else known
    if paths not in known:
        known[paths] = tuple(_repeated(found, count, given or {}))
    return line([*single[:large], *known[paths], *single[large:]])


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
    return [per_layer(tuple(count.shares[path] for path in p.paths if path in count.shares), own)
            for p in inside]


@lru_cache(KEPT)
def per_layer(shares: tuple[SymExpr, ...], layers: SymExpr) -> Polynomial:
    """What shares add in one of so many layers."""
    if layers.is_Symbol:
        return sum(map(collected, shares), NOTHING).divided(((layers.name, 1),))
    return collected(over(sp.Add(*shares), layers))


def _bracket(sums: list[Polynomial], groups: list[list[Part]], count: Count,
             given: Mapping[str, ex.Expr]) -> Term:
    layers = copies_of([extent for group in groups for extent in group[0].extents], given)
    parts = [p for group in groups for p in group]
    shares = {path: count.shares[path] for p in parts for path in p.all_paths
              if path in count.shares}
    return _of_layers(layers, tuple(sums), tuple(shares.items()),
                      tuple(dict.fromkeys(p.title for p in parts)))


@lru_cache(KEPT)
def _of_layers(layers: ex.Expr, sums: tuple[Polynomial, ...],
               shares: tuple[tuple[str, SymExpr], ...], titles: tuple[str, ...]) -> Term:
    """A bracket in front of which a number of layers stands; the same one is in several lines."""
    trees = [term for found in _each_once(sums) if found.terms
             for term in ex.terms_of(falling(found))]
    return Term(times(layers, trees), dict(shares), titles)


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
            **{p.path: "products" for p in ledger.products},
            **{p.path: "products" for p in ledger.pictures}}


def group_of(matrix: Matrix) -> str:
    """What kind of weight it is, for collecting: matrices, embeddings, norms, biases."""
    if (matrix.part in {"token", "head"} and matrix.role != "bias") or matrix.role == "embedding":
        return "embeddings"
    if matrix.part == "norm" or matrix.role == "gain":
        return "norms"
    return "biases" if matrix.role == "bias" else "matrices"


def by_power(count: Count, name: str, kind: Mapping[str, str]) -> Line:
    """The whole by falling powers of one symbol, terms of one kind of weight together."""
    tables: dict[str, dict[str, Polynomial]] = {group: {} for group in GROUPS}
    for path, share in count.polynomials.items():
        tables[_kind(path, kind)][path] = share
    split, write = partial(of_degrees, of=(name,)), partial(_with_power, name)
    terms = [Term(term.shown, {path: term.shares[path] for path in table if path in term.shares},
                  (group,)) for group, table in tables.items()
             for term in grouped(table, split, write)]
    return line(sorted(terms, key=lambda term: -term.degree(name)))


def _kind(path: str, kind: Mapping[str, str]) -> str:
    """The kind of a share: of the entry that it is of, or a paper's own term."""
    return kind.get(path) or kind.get(path.rpartition("[")[0], "products")


def _with_power(name: str, found: Polynomial) -> ex.Expr:
    """Terms of one power of a symbol, that behind a bracket."""
    if len(found.terms) < 2:
        return expanded(found)
    bare = tuple(power for power in next(iter(found.terms)) if power[0] == name)
    return ex.flat_product(factored(found.divided(bare)), product(bare))
