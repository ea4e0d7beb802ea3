"""A quantity taken apart by component, and arranged with what its terms share in front."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import sympy as sp

from symparam import expression as ex
from symparam.count import Count
from symparam.derivation.arrange import by_degree, times
from symparam.derivation.step import Line, Term, line, matrix_names
from symparam.dims import TOTAL
from symparam.ledger import Index, Ledger
from symparam.quantities.cost import RUN
from symparam.quantities.parameters import place
from symparam.quantities.quantity import Share
from symparam.symbols import (
    Monomial,
    SymExpr,
    common_factor,
    expression_of,
    factored,
    from_sympy,
    monomial_tree,
    monomials,
    over,
    symbol,
    to_sympy,
)


@dataclass(frozen=True)
class Portion:
    """What one component adds to a quantity.

    Attributes:
        symbol: what stands for it: ``M_cache_attention``.
        title: the component in words.
        shares: what it is the sum of, as it is written.
    """

    symbol: str
    title: str
    shares: tuple[Share, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of its shares."""
        return tuple(share.path for share in self.shares)


def written(share: Share) -> ex.Expr:
    """A share as it is written: one number, then the factors in their order.

    >>> str(written(Share("x.scores", (ex.Sym("L"), ex.Sym("n_heads") * ex.Sym("d_head"), 2))))
    '2*L*n_heads*d_head'
    """
    factors = [f for factor in map(ex.node, share.factors) for f in _flat(factor)]
    number = math.prod(f.value for f in factors if isinstance(f, ex.Num))
    return ex.product_of(ex.Num(ex.whole(number)),
                         *(f for f in factors if not isinstance(f, ex.Num)))


def _flat(tree: ex.Expr) -> Iterator[ex.Expr]:
    """The factors of a product, those of products in it in their place."""
    if isinstance(tree, ex.Product):
        for factor in tree.factors:
            yield from _flat(factor)
    else:
        yield tree


def in_words(path: str) -> str:
    """A component in words: its kind of layer and its slot, or the stack that it alone is.

    >>> in_words("layers[dense].ffn"), in_words("head.lm"), in_words("decoder.cross_attention")
    ('dense ffn', 'head', 'decoder cross_attention')
    """
    stack, _, slot = path.partition(".")
    name, _, kind = stack.partition("[")
    own = [name.replace("_", " ")] if name != "layers" else []
    slots = [] if slot in {"lm", "norm", name} else [slot]
    return " ".join((*own, *filter(None, [kind.rstrip("]")]), *slots))


def portions(symbol: str, shares: Iterable[Share]) -> tuple[Portion, ...]:
    """Shares by component, those that are 0 left out; a literal's terms are one portion.

    Args:
        symbol: of the quantity.
        shares: over trees.
    """
    groups: dict[str, list[Share]] = {}
    for share in shares:
        if ex.Num(0) not in map(ex.node, share.factors):
            groups.setdefault(place(share.path) if "." in share.path else "", []).append(share)
    titles = {path: in_words(path) for path in groups}
    names = {path: "_".join(title.replace("-", "_").split()) for path, title in titles.items()}
    if len(set(names.values())) < len(names):
        names = {path: f"{name}_{i}" for i, (path, name) in enumerate(names.items(), 1)}
    return tuple(Portion(f"{symbol}_{names[path]}" if len(groups) > 1 else symbol, titles[path],
                         tuple(found)) for path, found in groups.items())


def listed(portion: Portion, count: Count) -> Line:
    """A portion share by share, the factors as they are written."""
    return line(Term(written(share), {share.path: sp.expand(count.shares[share.path])},
                     matrix_names([share.path])) for share in portion.shares)


def positive_first(found: Line) -> Line:
    """The same terms, those with a minus behind the others."""
    return Line(tuple(sorted(found.terms, key=lambda term: ex.negated(term.shown) is not None)))


def apart(found: Iterable[Portion], count: Count) -> Line:
    """The whole as the sum of its portions' symbols."""
    return line(Term(ex.Sym(p.symbol), {path: count.shares[path] for path in p.paths}, (),
                     {p.symbol: sp.Add(*(count.shares[path] for path in p.paths))})
                for p in found)


def summed(found: Iterable[Portion], count: Count) -> Line:
    """The whole portion by portion, each with what its terms share in front."""
    return line(Term(in_front(factored(monomials(sp.Add(*shares.values())))), shares, (p.title,))
                for p in found for shares in [{path: count.shares[path] for path in p.paths}])


#: What a model is run with: it may stand in front of all terms, where widths stay inside.
_RUN = frozenset(map(symbol, (*RUN, TOTAL.name)))


@dataclass(frozen=True)
class Arranging:
    """Brings a quantity into the form in which it is read: numbers, tokens and sequences in front,
    then a bracket for what is in as many layers.

    Attributes:
        found: the portions.
        repeats: path of each share to the index that its layers are counted by, over trees.
        in_front: what may stand in front of all terms; None for all that they share.
    """

    found: tuple[Portion, ...]
    repeats: Mapping[str, Index | None]
    in_front: frozenset[SymExpr] | None = _RUN

    @classmethod
    def of(cls, found: tuple[Portion, ...], ledger: Ledger, literal: bool) -> Arranging:
        """For portions of a ledger over trees; a literal has no layers but its own factors."""
        entries = (*ledger, *ledger.states, *ledger.products)
        outer = {each.path: next((i for i in each.indices if i.name == "layer"), None)
                 for each in entries}
        return cls(found, {path: outer.get(path, outer.get(path.rpartition("[")[0]))
                           for p in found for path in p.paths}, None if literal else _RUN)

    def line(self, count: Count, given: Mapping[str, ex.Expr]) -> Line:
        """The whole, dims replaced as ``given`` has them."""
        whole = monomials(count.plain())
        if len(whole) < 2:
            shown = monomial_tree(*next(iter(whole.items()))) if whole else ex.Num(0)
            return Line((Term(shown, count.shares),))
        monomial, number = common_factor(whole)
        if self.in_front is not None:
            monomial = tuple(power for power in monomial if power[0] in self.in_front)
        front = expression_of(monomial, number)
        pieces = [piece for under, shares in _by_divisor(count, front).items()
                  for piece in self._pieces(under, shares, given)]
        if front == 1 and len(pieces) > 1:
            return line(Term(tree, shares, self._titles(shares)) for tree, shares in pieces)
        inner = _sum(tree for tree, _ in pieces)
        return Line((Term(_joined(monomial_tree(monomial, number), inner), count.shares),))

    def _titles(self, paths: Iterable[str]) -> tuple[str, ...]:
        inside = set(paths)
        return tuple(p.title for p in self.found if inside.intersection(p.paths))

    def _pieces(self, under: Monomial, shares: Mapping[str, SymExpr],
                given: Mapping[str, ex.Expr]) -> Iterator[tuple[ex.Expr, dict[str, SymExpr]]]:
        """What is in as many layers, each in one bracket, with its shares; under a divisor one
        piece."""
        number = common_factor(monomials(sp.Add(*shares.values())))[1] if under else 1
        groups: dict[Index | None, list[str]] = {}
        for path in shares:
            groups.setdefault(self.repeats[path], []).append(path)
        found = _alike([_Layers.of(sp.Add(*(shares[p] for p in paths)) / number, index, given,
                                   paths) for index, paths in groups.items()])
        if under:
            own = {path: share * expression_of(under) for path, share in shares.items()}
            terms = monomials(sp.Add(*own.values()))
            inner = _sum(each.tree() for each in found)
            yield (factored(terms) if len(terms) == 1 else
                   _joined(monomial_tree(under, number), inner)), own
            return
        for each in found:
            yield each.tree(), {path: shares[path] for path in each.paths}


def _by_divisor(count: Count, front: SymExpr) -> dict[Monomial, dict[str, SymExpr]]:
    """Each share over what stands in front, by what of the run it is divided by (devices)."""
    groups: dict[Monomial, dict[str, SymExpr]] = {}
    for path, share in count.shares.items():
        for monomial, coefficient in monomials(sp.expand(share / front)).items():
            under = tuple(power for power in monomial if power[1] < 0 and power[0] in _RUN)
            rest = tuple(power for power in monomial if power not in under)
            group = groups.setdefault(under, {})
            group[path] = group.get(path, sp.Integer(0)) + expression_of(rest, coefficient)
    return groups


@dataclass(frozen=True)
class _Layers:
    """So many layers, each with the same in it."""

    layers: SymExpr
    inner: SymExpr
    paths: tuple[str, ...]

    @classmethod
    def of(cls, expr: SymExpr, index: Index | None, given: Mapping[str, ex.Expr],
           paths: Iterable[str]) -> _Layers:
        """An expression with its number of layers taken out, where that is a factor of it."""
        expr = sp.expand(expr)
        for extent in () if index is None else (index.applied, index.stored, index.active):
            layers = to_sympy(ex.substitute(ex.node(extent), given))
            inner = over(expr, layers)
            if not any(_divides(base, layers) for monomial in monomials(inner)
                       for base, exponent in monomial if exponent < 0):
                return cls(layers, inner, tuple(paths))
        return cls(sp.Integer(1), expr, tuple(paths))

    def tree(self) -> ex.Expr:
        """As it is written."""
        return ex.Num(0) if self.inner == 0 else times(from_sympy(self.layers),
                                                      [*_terms(self.inner)])


def _divides(base: SymExpr, layers: SymExpr) -> bool:
    """Whether what stands below a line has to do with a number of layers."""
    return bool(base.free_symbols & layers.free_symbols)


def _alike(found: Iterable[_Layers]) -> list[_Layers]:
    """Layers with the same in them together; then what is in equally many of them."""
    same: dict[SymExpr, _Layers] = {}
    for each in found:
        old = same.get(each.inner)
        same[each.inner] = each if old is None else _Layers(
            sp.expand(old.layers + each.layers), each.inner, old.paths + each.paths)
    equal: dict[SymExpr, _Layers] = {}
    for each in same.values():
        old = equal.get(each.layers)
        equal[each.layers] = each if old is None else _Layers(
            each.layers, sp.expand(old.inner + each.inner), old.paths + each.paths)
    return list(equal.values())


def _terms(expr: SymExpr) -> Iterator[ex.Expr]:
    for tree in by_degree(expr):
        yield from tree.terms if isinstance(tree, ex.Sum) else (tree,)


def _sum(trees: Iterable[ex.Expr]) -> ex.Expr:
    """Terms as one sum, those of sums among them in their place."""
    terms = [term for tree in trees if tree != ex.Num(0)
             for term in (tree.terms if isinstance(tree, ex.Sum) else (tree,))]
    return ex.sum_of(*terms)


def in_front(tree: ex.Expr) -> ex.Expr:
    """A quotient of a product that ends in a bracket as what is before that over the divisor,
    times the bracket: lines can break inside it."""
    if isinstance(tree, ex.Quotient) and isinstance(tree.top, ex.Product) and isinstance(
            tree.top.factors[-1], ex.Sum):
        *front, bracket = tree.top.factors
        return ex.product_of(ex.Quotient(ex.product_of(*front), tree.bottom), bracket)
    return tree


def _joined(front: ex.Expr, inner: ex.Expr) -> ex.Expr:
    """Two factors as one product, without brackets that say nothing."""
    factors = [f for e in (front, inner)
               for f in (e.factors if isinstance(e, ex.Product) else (e,))]
    return ex.product_of(*factors)
