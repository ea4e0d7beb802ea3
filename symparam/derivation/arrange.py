"""Arranging a count as a person would write it: by component, by stack, by powers of the width."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from symparam import expression as ex
from symparam.count import Count
from symparam.derivation.step import Line, Term, line, matrix_names
from symparam.ledger import Ledger, Matrix
from symparam.model import Model, Stack
from symparam.quantities.parameters import place
from symparam.symbols import (
    Monomial,
    SymExpr,
    degree,
    factored,
    monomial_key,
    monomial_tree,
    monomials,
    symbol,
    to_sympy,
)


@dataclass(frozen=True)
class Part:
    """What one symbol of the first line stands for.

    Attributes:
        symbol: ``P_attention``.
        stack: the stack that it belongs to.
        title: in words.
        paths: the counted matrices in it.
    """

    symbol: str
    stack: Stack
    title: str
    paths: tuple[str, ...]


def parts(model: Model, ledger: Ledger) -> list[Part]:
    """The parts of the first line: one a stack that stands once, one a slot of a repeated one."""
    counted = {m.path for m in ledger.stored()}
    several = sum(1 for stack in model.stacks if stack.repeat) > 1
    found: dict[str, Part] = {}
    for matrix in ledger:
        if matrix.path not in counted:
            continue
        stack = next(s for s in model.stacks if matrix.path.startswith(f"{s.name}."))
        slot = place(matrix.path).rpartition(".")[2].replace("-", "_")
        name = slot if stack.repeat else stack.name
        kind = _kind(stack.name) if several and stack.repeat else ""
        key = f"P_{kind}_{name}" if kind else f"P_{name}"
        title = " ".join(filter(None, (*kind.split("_"), TITLES.get(name, name.replace("_", " ")))))
        old = found.get(key, Part(key, stack, title, ()))
        found[key] = Part(key, stack, title, (*old.paths, matrix.path))
    return list(found.values())


def _kind(stack: str) -> str:
    """What tells a repeated stack from others: ``layers[dense]`` dense, ``encoder`` encoder."""
    name, _, kind = stack.rstrip("]").partition("[")
    return "_".join(word for word in (name.removeprefix("layers"), kind) if word)


TITLES = {"ffn": "feed-forward", "final_norm": "final norm"}


def stored_factor(stack: Stack) -> SymExpr:
    """How many times a stack's block is stored, as an expression."""
    return to_sympy(stack.repeat.stored) if stack.repeat else sp.Integer(1)


def listed(part: Part, ledger_trees: Ledger, count: Count) -> Line:
    """One copy of a part, matrix by matrix, as its shapes are written."""
    factor, repeated = stored_factor(part.stack), part.stack.repeat is not None
    return line(_as_written(ledger_trees[path], count.shares[path] / factor, repeated)
                for path in part.paths)


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
    for stack in dict.fromkeys(p.stack.name for p in found):
        inside = [p for p in found if p.stack.name == stack]
        shares = {path: count.shares[path] for p in inside for path in p.paths}
        factor = stored_factor(inside[0].stack)
        meanings = {p.symbol: sp.Add(*(count.shares[path] for path in p.paths)) / factor
                    for p in inside}
        bracket = ex.sum_of(*(ex.Sym(p.symbol) for p in inside))
        yield Term(_times(inside[0].stack, bracket), shares, (), meanings)


def _times(stack: Stack, bracket: ex.Expr) -> ex.Expr:
    if stack.repeat is None:
        return bracket
    return ex.product_of(stack.repeat.stored, bracket)


def by_stack(found: list[Part], count: Count, given: Mapping[str, ex.Expr] | None = None) -> Line:
    """The whole: what stands once term by term, each repeated stack in one bracket.

    The first terms are those of the embedding and the head, the last those of single norms.
    ``given`` are the dims that were replaced, for the numbers of layers in front of brackets.
    """
    once = {path: (count.shares[path], p.title) for p in found if not p.stack.repeat
            for path in p.paths}
    single = sorted(_merged(once), key=_order)
    large = [t for t in single if _degree(t) > 1]
    small = [t for t in single if _degree(t) <= 1]
    stacks = dict.fromkeys(p.stack.name for p in found if p.stack.repeat)
    repeated = (_bracket([p for p in found if p.stack.name == name], count, given or {})
                for name in stacks)
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
    stack = inside[0].stack
    assert stack.repeat is not None
    layers = ex.substitute(stack.repeat.stored, given)
    factor = to_sympy(layers)
    trees = [term for p in inside for tree in _by_degree(
        sp.expand(sp.cancel(sp.Add(*(count.shares[path] for path in p.paths)) / factor)))
        for term in (tree.terms if isinstance(tree, ex.Sum) else (tree,))]
    shares = {path: count.shares[path] for p in inside for path in p.paths}
    shown = ex.product_of(layers, ex.sum_of(*trees))
    return Term(shown, shares, tuple(p.title for p in inside))


def _by_degree(expr: SymExpr) -> Iterator[ex.Expr]:
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
