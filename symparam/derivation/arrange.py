"""Arranging a count as a person would write it: by component, by stack, by powers of the width."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import sympy as sp

from symparam import expression as ex
from symparam.count import Count
from symparam.derivation.parts import Part, copies_of
from symparam.derivation.step import Line, Term, line, matrix_names
from symparam.ledger import Ledger, Matrix
from symparam.symbols import (
    Monomial,
    SymExpr,
    degree,
    factored,
    monomial_key,
    monomial_tree,
    monomials,
    over,
    symbol,
    to_sympy,
)


def listed(part: Part, ledger_trees: Ledger, count: Count) -> Line:
    """One copy of a part, matrix by matrix, as its shapes are written."""
    return line(_as_written(ledger_trees[path], count.shares[path] / part.own_factor,
                            part.repeated) for path in part.paths)


def _as_written(matrix: Matrix, share: SymExpr, repeated: bool) -> Term:
    factors = [ex.node(index.stored) for index in matrix.indices[1 if repeated else 0:]]
    shown = ex.product_of(*factors, *map(ex.node, matrix.shape))
    return Term(shown, {matrix.path: sp.expand(share)}, matrix_names([matrix.path]))


def joined(before: Line) -> Line:
    """Equal terms taken together, each labelled with the matrices that it comes from."""
    shares: dict[Monomial, dict[str, SymExpr]] = {}
    for path, share in before.shares.items():
        for monomial, coefficient in monomials(share).items():
            shares.setdefault(monomial, {})[path] = coefficient
    return line(_monomial_term(m, found, matrix_names(found)) for m, found in shares.items())


def _monomial_term(monomial: Monomial, coefficients: Mapping[str, SymExpr],
                   label: tuple[str, ...]) -> Term:
    power = sp.Mul(*(base**e for base, e in monomial))
    return Term(monomial_tree(monomial, sp.Add(*coefficients.values())),
                {path: c * power for path, c in coefficients.items()}, label)


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
    groups: dict[tuple[str, ...], list[Part]] = {}
    for part in found:
        groups.setdefault(tuple(s.name for s in part.stacks), []).append(part)
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
    ``given`` are the dims that were replaced, for the numbers of layers in front of brackets.
    """
    once = {path: (count.shares[path], p.title) for p in found if not p.repeated
            for path in p.paths}
    single = sorted(_merged(once), key=_order)
    large = [t for t in single if _degree(t) > 1]
    small = [t for t in single if _degree(t) <= 1]
    repeated = (_bracket(group, count, given or {}) for group in brackets(found)
                if group[0].repeated)
    return line([*large, *repeated, *small])


def _degree(term: Term) -> SymExpr:
    return max(degree(m) for share in term.shares.values() for m in monomials(share))


def _order(term: Term) -> Any:
    return min(monomial_key(m) for share in term.shares.values() for m in monomials(share))


def _merged(shares: Mapping[str, tuple[SymExpr, str]]) -> Iterator[Term]:
    """Terms of matrices that stand once, equal ones together, labelled by their parts."""
    groups: dict[Monomial, dict[str, SymExpr]] = {}
    for path, (share, _) in shares.items():
        for monomial, coefficient in monomials(share).items():
            groups.setdefault(monomial, {})[path] = coefficient
    for monomial, found in groups.items():
        label = tuple(dict.fromkeys(shares[path][1] for path in found))
        yield _monomial_term(monomial, found, label)


def _bracket(inside: list[Part], count: Count, given: Mapping[str, ex.Expr]) -> Term:
    layers = copies_of(inside[0].stacks, given)
    own = to_sympy(copies_of(inside[0].stacks[:1], given))
    trees = [term for p in inside for tree in by_degree(
        over(sp.Add(*(count.shares[path] for path in p.paths)), own))
        for term in (tree.terms if isinstance(tree, ex.Sum) else (tree,))]
    shares = {path: count.shares[path] for p in inside for path in p.all_paths}
    return Term(times(layers, trees), shares, tuple(p.title for p in inside))


def times(layers: ex.Expr, trees: Sequence[ex.Expr]) -> ex.Expr:
    """A number of layers times a block: the block in brackets, one product without them."""
    if len(trees) != 1 or not isinstance(trees[0], ex.Product):
        return ex.product_of(layers, ex.sum_of(*trees))
    first, *rest = trees[0].factors
    if isinstance(first, ex.Num):
        return ex.product_of(first, layers, *rest)
    return ex.product_of(layers, first, *rest)


def by_degree(expr: SymExpr) -> Iterator[ex.Expr]:
    """An expression as terms of falling degree, each with its common factor in front."""
    groups: dict[SymExpr, dict[Monomial, SymExpr]] = {}
    for monomial, coefficient in monomials(expr).items():
        groups.setdefault(degree(monomial), {})[monomial] = coefficient
    for key in sorted(groups, reverse=True):
        yield factored(groups[key])


def group_of(matrix: Matrix) -> str:
    """What kind of weight it is, for collecting: matrices, embeddings, norms, biases."""
    if (matrix.part in {"token", "head"} and matrix.role != "bias") or matrix.role == "embedding":
        return "embeddings"
    if matrix.part == "norm" or matrix.role == "gain":
        return "norms"
    return "biases" if matrix.role == "bias" else "matrices"


def by_power(count: Count, name: str, kind: Callable[[str], str]) -> Line:
    """The whole by falling powers of one symbol, terms of one kind of weight together."""
    of = symbol(name)
    groups: dict[tuple[SymExpr, str], dict[str, SymExpr]] = {}
    for path, share in count.shares.items():
        for monomial, coefficient in monomials(share).items():
            piece = coefficient * sp.Mul(*(base**e for base, e in monomial))
            group = groups.setdefault((degree(monomial, of), kind(path)), {})
            group[path] = group.get(path, sp.Integer(0)) + piece
    order = ("matrices", "embeddings", "norms", "biases")
    keys = sorted(groups, key=lambda key: (-key[0], order.index(key[1])))
    return line(_power_term(groups[key], of, key) for key in keys)


def _power_term(shares: Mapping[str, SymExpr], of: SymExpr, key: tuple[SymExpr, str]) -> Term:
    power, group = key
    whole = sp.expand(sp.Add(*shares.values()))
    terms = monomials(whole)
    if len(terms) == 1:
        (monomial, coefficient), = terms.items()
        return Term(monomial_tree(monomial, coefficient), shares, (group,))
    coefficient_tree = factored(monomials(sp.expand(whole / of**power)))
    power_tree = monomial_tree(((of, power),)) if power != 0 else ex.Num(1)
    shown = ex.product_of(*(coefficient_tree.factors if isinstance(coefficient_tree, ex.Product)
                            else (coefficient_tree,)), power_tree)
    return Term(shown, shares, (group,))
