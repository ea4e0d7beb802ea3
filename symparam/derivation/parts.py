"""The parts that the first line of a derivation names, equal ones of several stacks together.

Kinds of layer often share a block's attention, or its norms: DeepSeek-V3's dense and sparse
layers differ in the feed-forward network alone. Such a part has one symbol, counted for all of
the stacks that have it. A part of repeated layers is one layer's, wherever its shares say how many
layers they are of.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

import sympy as sp

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.dims import order_key
from symparam.ledger import Index, Ledger, in_brackets
from symparam.model import Model
from symparam.quantities.parameters import place
from symparam.quantities.quantity import Share
from symparam.stack import Stack
from symparam.symbols import KEPT, SymExpr, expand, from_sympy, to_sympy

TITLES = {"ffn": "feed-forward", "final_norm": "final norm"}


@dataclass(frozen=True)
class Part:
    """What one symbol of the first line stands for.

    Attributes:
        symbol: ``P_attention``.
        stacks: the stacks that have it, equal in all of them; none for a paper's formula.
        title: in words.
        shares: what one copy is the sum of, as it is written in the first stack.
        all_paths: the paths of all its stacks.
        extents: how often each of its stacks has it; none where it stands once.
    """

    symbol: str
    stacks: tuple[Stack, ...]
    title: str
    shares: tuple[Share, ...]
    all_paths: tuple[str, ...]
    extents: tuple[ex.Expr, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of its shares, as the first stack has them."""
        return tuple(share.path for share in self.shares)

    @property
    def repeated(self) -> bool:
        """Whether it stands in blocks that are repeated."""
        return bool(self.extents)

    @cached_property
    def place(self) -> Any:
        """What parts share that stand in one bracket: stacks, and how often they are there."""
        return tuple(stack.name for stack in self.stacks), self.extents

    @cached_property
    def copies(self) -> ex.Expr:
        """How often it is there: 1, ``L``, ``L_dense + L_sparse``."""
        return self.copies_under({})

    def copies_under(self, given: Mapping[str, ex.Expr]) -> ex.Expr:
        """The same with dims replaced by what they are given as."""
        return copies_of(self.extents, given)

    @cached_property
    def factor(self) -> SymExpr:
        """How often it is there as an expression of SymPy."""
        return to_sympy(self.copies)

    @cached_property
    def own_factor(self) -> SymExpr:
        """How often the first of its stacks has it."""
        return self.own_factor_under({})

    def own_factor_under(self, given: Mapping[str, ex.Expr]) -> SymExpr:
        """The same with dims replaced by what they are given as."""
        return to_sympy(copies_of(self.extents[:1], given))


def copies_of(extents: Sequence[ex.Expr], given: Mapping[str, ex.Expr]) -> ex.Expr:
    """How often something is there that is in several stacks, dims replaced."""
    found = tuple([given.get(extent.name, extent) if isinstance(extent, ex.Sym) else
                   ex.substitute(extent, given) for extent in extents])
    if len(found) < 2:
        return found[0] if found else ex.Num(1)
    return _together(found)


@lru_cache(KEPT)
def _together(extents: tuple[ex.Expr, ...]) -> ex.Expr:
    """The sum of several, collected; each line asks for it again."""
    names = [each.name for each in extents if isinstance(each, ex.Sym)]
    if len(set(names)) == len(extents):
        return ex.sum_of(*map(ex.Sym, sorted(names, key=order_key)))
    return from_sympy(expand(sp.Add(*map(to_sympy, extents))))


def written(share: Share) -> ex.Expr:
    """A share as it is written: rows times columns; or one number, then the factors in their order.

    >>> heads = ex.Sym("n_heads") * ex.Sym("d_head")
    >>> str(written(Share("x.W", (heads, ex.Sym("d_model")))))
    '(n_heads*d_head)*d_model'
    >>> str(written(Share("x.scores", (ex.Sym("L"), heads, 2))))
    '2*L*n_heads*d_head'
    """
    nodes = list(map(ex.node, share.factors))
    if not any(isinstance(node, ex.Num) and node.value != 1 for node in nodes):
        return ex.product_of(*nodes)
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


@dataclass
class _Piece:
    """A slot of one stack: a part, unless another stack has the same."""

    stack: Stack
    slot: str
    extent: ex.Expr | None
    shares: list[Share]
    signature: list[Any]


def parts(model: Model, symbol: str, shares: Iterable[Share], ledger: Ledger) -> list[Part]:
    """The parts of the first line: one a stack that stands once, one a slot of repeated ones.

    Args:
        model: the model.
        symbol: what stands for the whole: ``P``.
        shares: what it is the sum of, over trees; equal trees make equal parts. Those that are 0
            are left out, and a paper's formula is one part.
        ledger: whose entries they are of.
    """
    listed = [each for each in (Share(path, tuple(map(ex.node, factors)))
                                for path, factors in shares) if not _is_nothing(each)]
    if listed and not any("." in share.path for share in listed):
        return [Part(symbol, (), "", tuple(listed), tuple(s.path for s in listed))]
    groups: dict[Any, list[_Piece]] = {}
    for piece in _pieces(model, listed, ledger):
        key = (_family(piece.stack), piece.slot, tuple(piece.signature)) if (
            piece.extent is not None) else (piece.stack.name, piece.slot)
        groups.setdefault(key, []).append(piece)
    several = sum(1 for stack in model.stacks if stack.repeat) > 1 or (
        model.part in model.parts)  # (a part of a whole keeps the names that it has there)
    rivals: dict[Any, list[list[_Piece]]] = {}
    for group in groups.values():
        rivals.setdefault((_family(group[0].stack), group[0].slot), []).append(group)
    prefixes = {id(group): prefix for found in rivals.values()
                for group, prefix in zip(found, _prefixes(found), strict=True)}
    return [_part(symbol, group, prefixes[id(group)] if several and group[0].stack.repeat else "")
            for group in groups.values()]


def _is_nothing(share: Share) -> bool:
    """Whether a share over trees is 0."""
    return any(isinstance(factor, ex.Num) and factor.value == 0 for factor in share.factors)


def _pieces(model: Model, shares: Iterable[Share], ledger: Ledger) -> list[_Piece]:
    outer = {each.path: next((i for i in each.indices if i.name == "layer"), None)
             for each in (*ledger, *ledger.states, *ledger.products, *ledger.pictures)}
    stacks = {stack.name: stack for stack in model.stacks}
    found: dict[Any, _Piece] = {}
    for share in shares:
        name, _, inside = share.path.partition(".")
        stack = stacks[name]
        index = outer.get(share.path) or outer.get(share.path.rpartition("[")[0])
        extent = _extent(share, index)
        slot = place(share.path).rpartition(".")[2].replace("-", "_")
        name = slot if stack.repeat else stack.name
        piece = found.get((stack.name, name, extent))
        if piece is None:
            piece = found[stack.name, name, extent] = _Piece(stack, name, extent, [], [])
        one = Share(share.path, tuple(_one_copy(share, extent)))
        piece.shares.append(one)
        piece.signature.append((inside, one.factors))
    _told_apart(found.values())
    return list(found.values())


def _told_apart(found: Iterable[_Piece]) -> None:
    """Another name for what only some layers of a slot have: those with a window, the rest."""
    taken: dict[tuple[str, str], list[str]] = {}
    for piece in found:
        slot, shared = piece.slot, _shared_words(piece)
        if (others := taken.get((piece.stack.name, slot))) is not None:
            words = [word for word in shared if word not in others]
            piece.slot = "_".join((slot, *(words or ["rest"])))
        number = 1
        while (piece.stack.name, piece.slot) in taken:
            number += 1
            piece.slot = f"{slot}_{number}"
        taken[piece.stack.name, piece.slot] = shared


def _shared_words(piece: _Piece) -> list[str]:
    """The words in brackets that all shares of a piece have."""
    first, *others = (in_brackets(share.path) for share in piece.shares)
    return [word for word in first if all(word in each for each in others)]


def _extent(share: Share, index: Index | None) -> ex.Expr | None:
    """How many layers a share is of, where that is one of its factors."""
    if index is None:
        return None
    extents = [ex.node(each) for each in (index.applied, index.stored, index.active)]
    return next((extent for extent in extents if extent in share.factors or any(
        extent in _flat(each) for each in share.factors if isinstance(each, ex.Product))), None)


def _one_copy(share: Share, extent: ex.Expr | None) -> Iterator[ex.Expr]:
    """The factors of a share without its number of layers."""
    for factor in share.factors:
        if factor == extent:
            extent = None
        elif isinstance(factor, ex.Product) and extent in (inside := list(_flat(factor))):
            inside.remove(extent)
            extent = None
            yield ex.product_of(*inside)
        else:
            yield factor


def _family(stack: Stack) -> str:
    """What stands before the kind: ``layers``, ``encoder``, ``decoder``."""
    return stack.name.partition("[")[0]


def _kind(stack: Stack) -> str:
    """What tells a repeated stack from others: ``layers[dense]`` dense, ``encoder`` encoder."""
    name, _, kind = stack.name.rstrip("]").partition("[")
    return "_".join(word for word in (name.removeprefix("layers"), kind) if word)


def _part(symbol: str, group: list[_Piece], prefix: str) -> Part:
    first, stacks = group[0], tuple(piece.stack for piece in group)
    name = f"{prefix}_{first.slot}" if prefix else first.slot
    title = " ".join(filter(None, (*prefix.split("_"), TITLES.get(
        first.slot, first.slot.replace("_", " ")))))
    extents = tuple(piece.extent for piece in group if piece.extent is not None)
    return Part(f"{symbol}_{name}", stacks, title, tuple(first.shares),
                tuple(share.path for piece in group for share in piece.shares), extents)


def _prefixes(rivals: Sequence[list[_Piece]]) -> list[str]:
    """What tells parts of one slot apart: words that their kinds of layer share and others have
    not. A part alone in its slot needs none; where words do not tell, all kinds are named."""
    kinds = [[_kind(piece.stack) for piece in group] for group in rivals]
    family = _family(rivals[0][0].stack).removeprefix("layers")
    found = []
    for mine in kinds:
        others = {word for each in kinds if each is not mine for k in each for word in k.split("_")}
        shared = [word for word in mine[0].split("_") if all(word in k.split("_") for k in mine)]
        telling = [word for word in shared if word not in others and word != family]
        found.append("_".join(filter(None, (family, *(telling if len(rivals) > 1 else [])))))
    if len(set(found)) < len(found):
        return ["_".join(each) for each in kinds]
    return found
