"""Which constraints stand in the way where no configuration meets the target.

Each bound, step, ratio and number of the lattice is loosened alone, and the lattice searched
again: what then has configurations is named, with how many.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from symparam.dataclass import dataclass
from symparam.errors import NotDerivable, SymparamError
from symparam.points.axes import Axis, Divisors, Listed, Span
from symparam.resolve import MAX_DIM
from symparam.solve.rank import Ranking
from symparam.solve.requests.goals import Goal
from symparam.solve.searching.arrange import Lattice, arrange
from symparam.solve.searching.search import Search
from symparam.solve.solution import Binding

#: Points that are looked at for one constraint, and how far a bound is moved.
MAX_STEPS, FURTHER = 3_000_000, 8


@dataclass(frozen=True)
class _Loosened:
    constraint: str
    instead: str
    lattice: Lattice


def bindings(model: str, lattice: Lattice, goals: Sequence[Goal], ranking: Ranking,
             freed: Mapping[str, int]) -> tuple[Binding, ...]:
    """The constraints without which some configuration would meet the goals.

    Args:
        model: the name, for messages.
        lattice: where nothing was found.
        goals: what is wanted.
        ranking: how the nearest is chosen.
        freed: numbers that the user gave, any of which may be what stands in the way.
    """
    found = []
    for loosened in _loosened(model, lattice, freed):
        search = Search(loosened.lattice, goals, ranking.nearest(1), ranking.nearest(1),
                        most=MAX_STEPS)
        try:
            result = search.run()
        except NotDerivable:
            continue
        if result.within:
            best = ranking.configuration(result.hits[0])
            found.append(Binding(loosened.constraint, loosened.instead, result.within, best.dims))
    return tuple(found)


def _loosened(model: str, lattice: Lattice, freed: Mapping[str, int]) -> Iterator[_Loosened]:
    for axis in lattice.axes:
        for constraint, instead, other in _looser(axis):
            axes = [other if a.dim == axis.dim else a for a in lattice.axes]
            yield _Loosened(constraint, instead,
                            arrange(model, lattice.numbers, axes, lattice.conditions))
    for dim, value in freed.items():
        kept = {name: number for name, number in lattice.numbers.items() if name != dim}
        other = Span(dim, _step(value), 1, FURTHER * value)
        try:
            yield _Loosened(f"{dim} = {value}", other.text,
                            arrange(model, kept, [*lattice.axes, other], lattice.conditions))
        except SymparamError:
            continue


def _step(value: int) -> int:
    """The largest power of two in a number, up to 128: what a free dim goes in."""
    return min(value & -value, 128)


def _looser(axis: Axis) -> Iterator[tuple[str, str, Axis]]:
    """An axis with one of its constraints taken off, with the words for both."""
    name = axis.dim
    if isinstance(axis, Listed):
        wide = Span(name, _step(min(axis.numbers)), 1, FURTHER * max(axis.numbers))
        yield axis.text, wide.text, wide
    elif isinstance(axis, Divisors) and (axis.low, axis.high) != (1, MAX_DIM):
        every = replace(axis, low=1, high=MAX_DIM)
        yield axis.text, every.text, every
    elif isinstance(axis, Span):
        if axis.high is not None:
            yield (f"{name} ≤ {axis.high}", f"{name} up to {FURTHER * axis.high}",
                   replace(axis, high=FURTHER * axis.high))
        if axis.low > axis.step:
            yield f"{name} ≥ {axis.low}", f"{name} from {axis.step} on", replace(axis, low=1)
        if axis.step > 1:
            finer = max(1, axis.step // FURTHER)
            yield (f"{name} a multiple of {axis.step}", f"multiples of {finer}",
                   replace(axis, step=finer))
        for ratio in axis.ratios:
            wider = replace(ratio, low=ratio.low / FURTHER, high=ratio.high * FURTHER)
            others = tuple(wider if r == ratio else r for r in axis.ratios)
            yield str(ratio), str(wider), replace(axis, ratios=others)
