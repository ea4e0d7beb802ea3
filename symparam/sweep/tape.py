"""A polynomial over one box of a grid after another, as a list of steps.

A step is worked out again only when the box has moved along an axis on which it depends: what
stands in the innermost brackets is worked out once for all boxes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from functools import partial
from operator import ne
from typing import Any

import numpy as np

from symparam.dataclass import dataclass
from symparam.errors import the
from symparam.points.table import SAFE
from symparam.polynomial import Powers
from symparam.sweep.compiled import Compiled, atom_value, wide
from symparam.sweep.dims import Dims
from symparam.sweep.factored import Axes, Node, factored
from symparam.sweep.grid import Box, Grid, Here


@dataclass(frozen=True)
class Step:
    """One step: a name, or two earlier steps (or a step and a number) put together.

    Attributes:
        run: makes it from the two.
        first, second: numbers of earlier steps.
        number: stands in place of the second, if there is one.
        axes: the axes on which it depends, in order.
    """

    run: Callable[..., Any]
    first: int = -1
    second: int = -1
    number: int | None = None
    axes: tuple[int, ...] = ()


@dataclass
class Tape:
    """The steps of one polynomial, with what each gave in the last box.

    Attributes:
        load: the number or array of a name in the box that is looked at.
        axes_of: along which axes a name varies.
    """

    load: Callable[[str], Any]
    axes_of: Callable[[str], Axes]
    steps: list[Step] = field(default_factory=list)
    found: list[Any] = field(default_factory=list)
    before: Box = ()
    _again: dict[Any, list[tuple[Any, ...]]] = field(default_factory=dict)
    _places: dict[Any, int] = field(default_factory=dict)

    def of(self, node: Node) -> int:
        """The step that a sum of products is."""
        large = sorted((pair for pair in node.pairs if pair[0]), key=lambda p: -_count(p[1]))
        total: int | None = None
        extra = 0
        for factors, inner in (*large, *(pair for pair in node.pairs if not pair[0])):
            if not factors and isinstance(inner, int):
                extra += inner
                continue
            part = self._product(factors, inner)
            total = part if total is None else self._both(np.add, total, part)
        if total is None:
            return self._place(("number", extra), Step(lambda: extra))
        return self._with(np.add, total, extra) if extra else total

    def _product(self, factors: Powers, inner: Node | int) -> int:
        if not factors:
            return self.of(the(Node, inner))
        power: int | None = None
        for name, exponent in factors:
            for _ in range(int(exponent)):
                one = self._name(name)
                power = one if power is None else self._both(np.multiply, power, one)
        whole = the(int, power)
        if isinstance(inner, Node):
            return self._both(np.multiply, whole, self.of(inner))
        return whole if inner == 1 else self._with(np.multiply, whole, inner)

    def _name(self, name: str) -> int:
        return self._place(name, Step(lambda: self.load(name),
                                      axes=tuple(sorted(self.axes_of(name)))))

    def _both(self, run: Any, first: int, second: int) -> int:
        axes = {*self.steps[first].axes, *self.steps[second].axes}
        return self._place((run, first, second),
                           Step(run, first, second, axes=tuple(sorted(axes))))

    def _with(self, run: Any, first: int, number: int) -> int:
        return self._place((run, first, "by", number),
                           Step(run, first, number=number, axes=self.steps[first].axes))

    def _place(self, key: Any, step: Step) -> int:
        if key not in self._places:
            self._places[key] = len(self.steps)
            self.steps.append(step)
            self.found.append(None)
        return self._places[key]

    def value(self, now: Box, out: Any = None) -> Any:
        """The last step's value in a box.

        Args:
            now: the box.
            out: an array of its shape that it is written to.
        """
        moved = tuple(map(ne, self.before, now))
        again = self._again.get(moved)
        if again is None:
            again = self._again[moved] = self._after(moved)
        self.before = now
        found, last = self.found, self.last
        for i, run, first, second, number in again:
            if first < 0:
                found[i] = run()
            elif i == last and out is not None:
                found[i] = run(found[first], found[second] if number is None else number, out)
            else:
                found[i] = run(found[first], found[second] if number is None else number)
        return found[last]

    @property
    def last(self) -> int:
        """The number of the last step, which is the polynomial."""
        return len(self.steps) - 1

    def _after(self, moved: tuple[bool, ...]) -> list[tuple[Any, ...]]:
        """The steps that are to be done again when the box has moved along some axes."""
        return [(i, step.run, step.first, step.second, step.number)
                for i, step in enumerate(self.steps)
                if not moved or not self.before or any(moved[axis] for axis in step.axes)]


class Evaluator:
    """A quantity in one box after another.

    Args:
        quantity: which one.
        dims: the dims of the model.
        grid: the grid.
        bounds: no dim is larger.
    """

    def __init__(self, quantity: Compiled, dims: Dims, grid: Grid, here: Here,
                 bounds: dict[str, int]) -> None:
        self.quantity, self.dims, self.here = quantity, dims, here
        self.may_be_large = quantity.most(bounds) > SAFE
        axes = {name: self._axes(name) for name in quantity.names()}
        node = factored(quantity.polynomial, axes, grid.sizes)
        self.tapes = {}
        for large in (False, True) if self.may_be_large else (False,):
            self.tapes[large] = Tape(partial(self._load, large), self._axes)
            self.tapes[large].of(node)
        wide_axes = {axis for axis, size in enumerate(grid.sizes) if size > 1}
        last = self.tapes[False].steps[-1]
        self.fills = last.first >= 0 and wide_axes <= set(last.axes)

    def _axes(self, name: str) -> Axes:
        if name not in self.quantity.atoms:
            return self.dims.axes_of([name])
        _, first, second = self.quantity.atoms[name]
        return self.dims.axes_of((*first.dims, *second.dims))

    def _load(self, large: bool, name: str) -> Any:
        if name in self.quantity.atoms:
            return self.here.keep((id(self), name, large), self._axes(name), lambda: atom_value(
                self.quantity.atoms[name], partial(self._load, large)))
        value = self.dims.value(self.here, name)
        return wide(value) if large else value

    def value(self, room: Any = None) -> Any:
        """The values in the box that is looked at; they broadcast to its shape.

        Args:
            room: an array of the box's shape that they may be written to.
        """
        large = self.may_be_large and self._large()
        found = self.tapes[large].value(self.here.now, room if self.fills and not large else None)
        return found if self.quantity.whole else self.quantity.divided(
            found, partial(self._load, large))

    def _large(self) -> bool:
        """Whether 64 bits may be too few in this box."""
        return self.quantity.most({name: int(np.max(self.dims.value(self.here, name)))
                                   for name in self.quantity.dims}) > SAFE


def _count(inner: Node | int) -> int:
    return 0 if isinstance(inner, int) else len(inner.axes)
