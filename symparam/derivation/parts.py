"""The parts that the first line of a derivation names, equal ones of several stacks together.

Kinds of layer often share a block's attention, or its norms: DeepSeek-V3's dense and sparse
layers differ in the feed-forward network alone. Such a part has one symbol, counted for all of
the stacks that have it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy as sp

from symparam import expression as ex
from symparam.ledger import Ledger, Matrix
from symparam.model import Model, Stack
from symparam.quantities.parameters import place
from symparam.symbols import SymExpr, from_sympy, to_sympy

TITLES = {"ffn": "feed-forward", "final_norm": "final norm"}


@dataclass(frozen=True)
class Part:
    """What one symbol of the first line stands for.

    Attributes:
        symbol: ``P_attention``.
        stacks: the stacks that have it, equal in all of them.
        title: in words.
        paths: its counted matrices, as the first stack has them.
        all_paths: those of all its stacks.
    """

    symbol: str
    stacks: tuple[Stack, ...]
    title: str
    paths: tuple[str, ...]
    all_paths: tuple[str, ...]

    @property
    def repeated(self) -> bool:
        """Whether it stands in blocks that are repeated."""
        return self.stacks[0].repeat is not None

    @cached_property
    def copies(self) -> ex.Expr:
        """How often it is stored: 1, ``L``, ``L_dense + L_sparse``."""
        return copies_of(self.stacks)

    @cached_property
    def factor(self) -> SymExpr:
        """The same as an expression of SymPy."""
        return to_sympy(self.copies)

    @cached_property
    def own_factor(self) -> SymExpr:
        """How often the first of its stacks is stored."""
        return to_sympy(copies_of(self.stacks[:1]))


def copies_of(stacks: Iterable[Stack], given: Mapping[str, ex.Expr] | None = None) -> ex.Expr:
    """How often some stacks are stored together, dims replaced by what they are given as."""
    extents = [ex.substitute(s.repeat.stored, given or {}) if s.repeat else ex.Num(1)
               for s in stacks]
    if len(extents) == 1:
        return extents[0]
    return from_sympy(sp.expand(sp.Add(*map(to_sympy, extents)))) if given else (
        ex.sum_of(*extents))


@dataclass
class _Piece:
    """A slot of one stack: a part, unless another stack has the same."""

    stack: Stack
    slot: str
    paths: list[str]
    signature: list[Any]


def parts(model: Model, trees: Ledger) -> list[Part]:
    """The parts of the first line: one a stack that stands once, one a slot of repeated ones.

    Args:
        model: the model.
        trees: its matrices with shapes as trees; equal trees make equal parts.
    """
    pieces = _pieces(model, trees)
    groups: dict[Any, list[_Piece]] = {}
    for piece in pieces:
        key = (_family(piece.stack), piece.slot, tuple(piece.signature)) if (
            piece.stack.repeat) else (piece.stack.name,)
        groups.setdefault(key, []).append(piece)
    several = sum(1 for stack in model.stacks if stack.repeat) > 1
    rivals: dict[Any, list[list[_Piece]]] = {}
    for group in groups.values():
        rivals.setdefault((_family(group[0].stack), group[0].slot), []).append(group)
    prefixes = {id(group): prefix for found in rivals.values()
                for group, prefix in zip(found, _prefixes(found), strict=True)}
    return [_part(group, prefixes[id(group)] if several and group[0].stack.repeat else "")
            for group in groups.values()]


def _pieces(model: Model, trees: Ledger) -> list[_Piece]:
    counted = {m.path for m in trees.stored()}
    found: dict[tuple[str, str], _Piece] = {}
    for matrix in trees:
        if matrix.path not in counted:
            continue
        stack = next(s for s in model.stacks if matrix.path.startswith(f"{s.name}."))
        slot = place(matrix.path).rpartition(".")[2].replace("-", "_")
        name = slot if stack.repeat else stack.name
        piece = found.setdefault((stack.name, name), _Piece(stack, name, [], []))
        piece.paths.append(matrix.path)
        piece.signature.append(_signature(matrix, inner=1 if stack.repeat else 0))
    return list(found.values())


def _signature(matrix: Matrix, inner: int) -> Any:
    """What makes two matrices the same weights: place, shape, repetition inside the block."""
    return (matrix.path.partition(".")[2], tuple(map(ex.node, matrix.shape)),
            tuple((ex.node(i.stored), ex.node(i.active)) for i in matrix.indices[inner:]))


def _family(stack: Stack) -> str:
    """What stands before the kind: ``layers``, ``encoder``, ``decoder``."""
    return stack.name.partition("[")[0]


def _kind(stack: Stack) -> str:
    """What tells a repeated stack from others: ``layers[dense]`` dense, ``encoder`` encoder."""
    name, _, kind = stack.name.rstrip("]").partition("[")
    return "_".join(word for word in (name.removeprefix("layers"), kind) if word)


def _part(group: list[_Piece], prefix: str) -> Part:
    first, stacks = group[0], tuple(piece.stack for piece in group)
    name = f"{prefix}_{first.slot}" if prefix else first.slot
    title = " ".join(filter(None, (*prefix.split("_"), TITLES.get(
        first.slot, first.slot.replace("_", " ")))))
    return Part(f"P_{name}", stacks, title, tuple(first.paths),
                tuple(path for piece in group for path in piece.paths))


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
