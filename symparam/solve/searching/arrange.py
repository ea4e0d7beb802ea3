"""Axes in an order in which they can be gone through, with conditions where they are decided."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from symparam.dataclass import dataclass
from symparam.errors import MissingDims, NotDerivable
from symparam.grammar import Rule
from symparam.points.axes import Axis, Follows, Span, Unknown, rule_value
from symparam.points.conditions import Condition

#: Which of several open axes is gone through first.
_PRIORITY = ("V", "n_ctx", "d_model", "d_head", "n_heads", "n_kv", "*", "L", "d_ff")


@dataclass(frozen=True)
class Lattice:
    """Axes in an order in which each finds the numbers that it needs.

    Attributes:
        numbers: dims that are fixed.
        axes: the others, in order.
        conditions: what every point meets.
        tail: how many of the last axes are spans that nothing else looks at: they can be solved
            for instead of gone through.
    """

    numbers: Mapping[str, int]
    axes: tuple[Axis, ...]
    conditions: tuple[Condition, ...]
    tail: int = 0

    @property
    def rules(self) -> dict[str, Rule]:
        """The dims that follow from others."""
        return {axis.dim: axis.rule for axis in self.axes if isinstance(axis, Follows)}

    @property
    def open_dims(self) -> frozenset[str]:
        """The dims in which points differ: what ranges, and what follows from it."""
        found: set[str] = set()
        for axis in self.axes:
            if not isinstance(axis, Follows) or axis.needs & found:
                found.add(axis.dim)
        return frozenset(found)

    @property
    def head(self) -> tuple[Axis, ...]:
        """The axes that are gone through."""
        return self.axes[:len(self.axes) - self.tail]

    @property
    def spans(self) -> tuple[Span, ...]:
        """The axes of the tail."""
        return tuple(axis for axis in self.axes[len(self.axes) - self.tail:]
                     if isinstance(axis, Span))

    @property
    def unknown(self) -> int | None:
        """Where the one unknown stands among the axes, if there is one."""
        return next((i for i, axis in enumerate(self.axes) if isinstance(axis, Unknown)), None)

    def decided(self, place: int) -> list[Condition]:
        """The conditions that can be decided once an axis has its value, and not before."""
        known = {*self.numbers, *(axis.dim for axis in self.axes[:place])}
        with_it = known | {self.axes[place].dim}
        return [c for c in self.conditions if c.dims <= with_it and not c.dims <= known]

    def statement(self) -> tuple[str, ...]:
        """What the lattice is, line by line."""
        open_dims = {axis.dim for axis in self.axes}
        return (*(axis.text for axis in self.axes),
                *(c.text for c in self.conditions if c.dims & open_dims))


def arrange(model: str, numbers: Mapping[str, int], axes: Iterable[Axis],
            conditions: Iterable[Condition]) -> Lattice:
    """The axes in an order that works, with the conditions that they have to meet.

    Raises:
        MissingDims: a rule needs a dim that has neither a number nor an axis.
        NotDerivable: rules go in a circle, or more is open than the one dim that was asked for.
    """
    ordered = _ordered(model, numbers, {axis.dim: axis for axis in axes})
    known = {*numbers, *(axis.dim for axis in ordered)}
    kept = tuple(c for c in conditions if c.dims <= known and not c.dims <= set(numbers))
    mark = next((i for i, axis in enumerate(ordered) if isinstance(axis, Unknown)), None)
    if mark is not None:
        for axis in ordered[mark + 1:]:
            if not isinstance(axis, Follows):
                raise NotDerivable(f"{ordered[mark].dim}=? cannot be searched while {axis.dim} is "
                                   f"open: give {axis.dim}=...")
        return Lattice(numbers, tuple(ordered), kept)
    asked = {name for axis in ordered for name in axis.needs} | {
        name for condition in kept for name in condition.dims}
    tail = [axis for axis in ordered if isinstance(axis, Span) and axis.dim not in asked]
    head = [axis for axis in ordered if axis not in tail]
    return Lattice(numbers, (*head, *tail), kept, len(tail))


def _ordered(model: str, numbers: Mapping[str, int], axes: dict[str, Axis]) -> list[Axis]:
    ordered: list[Axis] = []
    while axes:
        known = {*numbers, *(axis.dim for axis in ordered)}
        ready = [axis for axis in axes.values() if axis.needs <= known]
        if not ready:
            _explain(model, known, list(axes.values()))
        ordered.append(axes.pop(min(ready, key=_rank).dim))
    return ordered


def _explain(model: str, known: set[str], left: Sequence[Axis]) -> None:
    """Say why none of the axes that are left can be worked out."""
    missing = {n for axis in left for n in axis.needs} - known - {axis.dim for axis in left}
    if missing:
        raise MissingDims(sorted(missing), model)
    circle = ", ".join(axis.text for axis in left if isinstance(axis, Follows))
    raise NotDerivable(f"these rules go in a circle: {circle}; give a number for one")


def _rank(axis: Axis) -> tuple[bool, bool, int]:
    """Rules as soon as they can be worked out, the one unknown as late as possible."""
    name = axis.dim if axis.dim in _PRIORITY else "*"
    return (isinstance(axis, Unknown), not isinstance(axis, Follows), _PRIORITY.index(name))


def refuse_empty(lattice: Lattice, reached: int) -> None:
    """Say which axis has no value.

    Raises:
        NotDerivable: always.
    """
    axis = lattice.axes[min(reached, len(lattice.axes) - 1)]
    if isinstance(axis, Follows) and axis.needs <= set(lattice.numbers):
        value = rule_value(axis.rule, lattice.numbers)
        if not isinstance(value, int):
            here = ", ".join(f"{n} = {lattice.numbers[n]}" for n in sorted(axis.needs))
            raise NotDerivable(f"no configuration of the lattice exists: {axis.dim} = {axis.rule} "
                               f"is {'not positive' if value is None else value} for {here}; "
                               f"change one of them, or give {axis.dim}=...")
    conditions = "; ".join(c.text for c in lattice.decided(lattice.axes.index(axis)))
    raise NotDerivable(f"no configuration of the lattice exists: nothing fits {axis.text}"
                       f"{f' with {conditions}' if conditions else ''}; "
                       f"give {axis.dim}=..., or what it follows from")
