"""From one model to another step by step: the architecture first, then one dim after another.

Each step is the exact number of parameters that it adds at the point reached so far. The order
is part of the answer: the same change made later adds another number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy as sp

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.derivation.step import Line, Step, Term, matrix_names
from symparam.diff.match import Pair
from symparam.diff.side import Side
from symparam.diff.terms import (
    by_component,
    divided,
    in_order,
    listed,
    numbers,
    shares,
    value,
    whole,
)
from symparam.dims import order_key, primed
from symparam.errors import FalseStep
from symparam.symbols import SymExpr, collected, exact, symbol

ARCHITECTURE = "the architecture, at the first model's dims"


@dataclass(frozen=True)
class Move:
    """One step of the way.

    Attributes:
        dim: the dim that changes; None for the architecture.
        line: what the step adds, in terms; marked dims have changed before or change now.
        at: both models' numbers, with which the line is worked out.
        reached: the parameters after the step, counted from the matrices.
        adds: how many of them the step adds.

    Raises:
        FalseStep: the terms do not come to what the matrices add.
    """

    dim: str | None
    line: Line
    at: Mapping[str, int]
    reached: int
    adds: int

    def __post_init__(self) -> None:
        found = value(self.line, self.at)
        if found != self.adds:
            raise FalseStep(f"{self.dim or 'the architecture'} adds {found}",
                            str(self.adds - found))


@dataclass(frozen=True)
class Path:
    """The steps, in order.

    Attributes:
        start: the first model's parameters.
        moves: the steps; each begins where the one before it ends.
        whole: the share of each pair of matrices in the difference.

    Raises:
        FalseStep: a step that begins elsewhere, or terms that do not sum to the difference.
    """

    start: int
    moves: tuple[Move, ...]
    whole: Mapping[str, SymExpr]

    def __post_init__(self) -> None:
        at = self.start
        for move in self.moves:
            if move.reached - move.adds != at:
                raise FalseStep(f"the step of {move.dim} begins at {at}",
                                str(move.reached - move.adds - at))
            at = move.reached
        for key, share in self.whole.items():
            found = sp.Add(*(move.line.shares.get(key, 0) for move in self.moves))
            if sp.expand(found - share) != 0:
                raise FalseStep(f"the steps sum to the difference in {key}",
                                str(sp.expand(found - share)))

    @property
    def change(self) -> int:
        """What all steps add."""
        return sum(move.adds for move in self.moves)


def path_between(before: Side, after: Side, marked: Sequence[str],
                 matched: tuple[Pair, ...]) -> Path:
    """The way from the first model to the second.

    The second model's matrices are put in at the first one's dims (what the first one does not
    have it takes from the second); then the dims that differ are changed one by one, in the
    order in which they are written.
    """
    plain = after.symbolic()
    present = {s.name for m in plain.stored() for s in exact(m.size()).free_symbols}
    order = sorted((name for name in marked if name in present), key=order_key)
    start = int(before.model.ledger(before.values).total())
    moves = [_architecture(before, after, matched, start)]
    for i, name in enumerate(order):
        moves.append(_move(before, after, order[:i], name, matched, moves[-1].reached))
    every = shares(matched, before.symbolic(), after.symbolic(marked))
    return Path(start, tuple(moves), every)


def _point(before: Side, after: Side, changed: Sequence[str]) -> dict[str, int]:
    """The second model's dims: those that changed or that the first has not are its own."""
    shared = {name: before.values[name] for name in after.free
              if name in before.free and name not in changed}
    return {**after.values, **shared}


def _reached(before: Side, after: Side, changed: Sequence[str]) -> int:
    total = after.ledger(_point(before, after, changed)).total()
    if not isinstance(total, int):
        raise FalseStep("the count is a whole number", str(total))
    return total


def _architecture(before: Side, after: Side, matched: tuple[Pair, ...], start: int) -> Move:
    found = shares(matched, before.symbolic(), after.symbolic())
    step = Step("sum", "P", listed(matched, found, before.trees(), after.trees()),
                whole(by_component(matched, found)), ARCHITECTURE)
    reached = _reached(before, after, ())
    return Move(None, step.after, numbers(before, after), reached, reached - start)


def _move(before: Side, after: Side, changed: Sequence[str], name: str,
          matched: tuple[Pair, ...], start: int) -> Move:
    """One dim from the first model's number to the second's, those before it changed already."""
    old, new = after.symbolic(changed), after.symbolic((*changed, name))
    found = {pair.key: sp.expand(sum((new[p].size() - old[p].size() for p in pair.after),
                                     sp.Integer(0))) for pair in matched}
    found = {key: share for key, share in found.items() if share != 0}
    slope = _quotient(sp.expand(sp.Add(*found.values())), symbol(primed(name)), symbol(name))
    shown = _times(ex.Sym(primed(name)) - ex.Sym(name), _slope(slope))
    reached = _reached(before, after, (*changed, name))
    return Move(name, Line((Term(shown, found, matrix_names(found)),)),
                numbers(before, after), reached, reached - start)


def _quotient(gained: SymExpr, new: SymExpr, old: SymExpr) -> SymExpr:
    """What is gained over how much the dim grows: a polynomial, mostly one without that dim."""
    slope = sp.diff(gained, new)
    return sp.cancel(gained / (new - old)) if slope.has(new) else slope


def _slope(slope: SymExpr) -> ex.Expr:
    """What one unit of a dim costs, terms that share a factor together."""
    terms = collected(slope).terms
    return ex.sum_of(*in_order(divided(terms))) if terms else ex.Num(0)


def _times(gap: ex.Expr, slope: ex.Expr) -> ex.Expr:
    """How much a dim grows times what one unit of it costs; brackets stand last."""
    factors = slope.factors if isinstance(slope, ex.Product) else (slope,)
    brackets = [factor for factor in factors if isinstance(factor, ex.Sum)]
    return ex.product_of(*(f for f in factors if not isinstance(f, ex.Sum)), gap, *brackets)
