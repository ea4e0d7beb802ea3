"""From one model to another step by step: the architecture first, then one dim after another.

Each step is what it adds to the quantity, exactly, at the point reached so far. The order
is part of the answer: the same change made later adds another number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy as sp

from symparam import expression as ex
from symparam.bracketed import by_sharing
from symparam.dataclass import dataclass
from symparam.derivation.step import Line, Term, matrix_names
from symparam.diff.match import Entries, Pair
from symparam.diff.side import Side
from symparam.diff.terms import (
    by_component,
    numbers,
    shares,
    value,
    whole,
)
from symparam.dims import order_key, primed
from symparam.errors import FalseStep
from symparam.symbols import SymExpr, collected, symbol


@dataclass(frozen=True)
class Move:
    """One step of the way.

    Attributes:
        dim: the dim that changes; None for the architecture.
        line: what the step adds, in terms; marked dims have changed before or change now.
        at: both models' numbers, with which the line is worked out.
        reached: the quantity after the step, counted from the lists.
        adds: how much of it the step adds.

    Raises:
        FalseStep: the terms do not come to what the lists add.
    """

    dim: str | None
    line: Line
    at: Mapping[str, int]
    reached: ex.Rational
    adds: ex.Rational

    def __post_init__(self) -> None:
        found = value(self.line, self.at)
        if found != self.adds:
            raise FalseStep(f"{self.dim or 'the architecture'} adds {found}",
                            str(self.adds - found))


@dataclass(frozen=True)
class Path:
    """The steps, in order.

    Attributes:
        start: the first model's quantity.
        moves: the steps; each begins where the one before it ends.
        whole: the share of each pair of matrices in the difference.

    Raises:
        FalseStep: a step that begins elsewhere, or terms that do not sum to the difference.
    """

    start: ex.Rational
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
    def change(self) -> ex.Rational:
        """What all steps add."""
        return ex.whole(sum(move.adds for move in self.moves))


def path_between(before: Side, after: Side, marked: Sequence[str],
                 matched: tuple[Pair, ...]) -> Path:
    """The way from the first model to the second.

    The second model's matrices are put in at the first one's dims (what the first one does not
    have it takes from the second); then the dims that differ are changed one by one, in the
    order in which they are written.
    """
    present = after.present | (before.present if after.quantity.at_work else set())
    order = sorted((name for name in marked if name in present), key=order_key)
    start = before.amount(before.values)
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


def _reached(before: Side, after: Side, changed: Sequence[str]) -> ex.Rational:
    return after.amount(_point(before, after, changed))


def _entries(before: Side, after: Side, changed: Sequence[str]) -> Entries:
    """The second model's entries in symbols, as far as its dims have changed."""
    return after.symbolic(changed, at=_point(before, after, changed))


def _architecture(before: Side, after: Side, matched: tuple[Pair, ...],
                  start: ex.Rational) -> Move:
    found = shares(matched, before.symbolic(), _entries(before, after, ()))
    line = whole(by_component(matched, found))
    reached = _reached(before, after, ())
    return Move(None, line, numbers(before, after), reached, ex.whole(reached - start))


def _move(before: Side, after: Side, changed: Sequence[str], name: str,
          matched: tuple[Pair, ...], start: ex.Rational) -> Move:
    """One dim from the first model's number to the second's, those before it changed already."""
    old, new = (_entries(before, after, dims) for dims in (changed, (*changed, name)))
    found = {pair.key: sp.expand(sum((new[p].size - old[p].size for p in pair.after),
                                     sp.Integer(0))) for pair in matched}
    found = {key: share for key, share in found.items() if share != 0}
    shown = _shown(sp.expand(sp.Add(*found.values())), name)
    reached = _reached(before, after, (*changed, name))
    line = Line((Term(shown, found, matrix_names(found)),) if found else ())
    return Move(name, line, numbers(before, after), reached, ex.whole(reached - start))


def _shown(gained: SymExpr, name: str) -> ex.Expr:
    """What is gained, as what one unit of the dim costs times how much it grows; term by term
    where a sequence comes to stand to a window as it did not before."""
    new, old = symbol(primed(name)), symbol(name)
    slope = sp.diff(gained, new)
    if sp.expand(slope * (new - old) - gained) != 0:
        slope = sp.cancel(gained / (new - old))
    if sp.denom(slope).is_Add:
        return _slope(gained)
    return _times(ex.Sym(new.name) - ex.Sym(name), _slope(slope))


def _slope(slope: SymExpr) -> ex.Expr:
    """What one unit of a dim costs, terms that share a factor together."""
    return by_sharing(collected(slope))


def _times(gap: ex.Expr, slope: ex.Expr) -> ex.Expr:
    """How much a dim grows times what one unit of it costs; brackets stand last."""
    factors = ex.factors_of(slope)
    brackets = [factor for factor in factors if isinstance(factor, ex.Sum)]
    return ex.product_of(*(f for f in factors if not isinstance(f, ex.Sum)), gap, *brackets)
