"""A grid: axes with their values, cut into boxes that are worked out one after another.

Points are numbered with the last axis running fastest. A box is a run of consecutive points: one
value of each early axis, some of one axis, all of the later ones.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from math import prod
from typing import Any, TypeAlias

import numpy as np

from symparam.dataclass import dataclass
from symparam.errors import BadValue
from symparam.resolve import whole_number
from symparam.sweep.factored import Axes

#: For each axis the first number of the values of a box, and the one after the last.
Box: TypeAlias = tuple[tuple[int, int], ...]

#: Points that are worked out at a time.
BLOCK = 1 << 17


@dataclass(frozen=True)
class Grid:
    """Axes and how they are cut.

    Attributes:
        values: the values of each axis, ascending: an array, or a range that is never listed.
        block: points of a box at most.

    >>> grid = Grid({"L": np.arange(1, 5), "V": np.arange(1, 4)}, block=6)
    >>> grid.points, grid.boxes, list(grid.each())
    (12, 2, [((0, 2), (0, 3)), ((2, 4), (0, 3))])
    """

    values: Mapping[str, Any]
    block: int = BLOCK

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many values each axis has."""
        return tuple(len(values) for values in self.values.values())

    @property
    def points(self) -> int:
        """How many points there are."""
        return prod(self.sizes)

    @cached_property
    def _cut(self) -> tuple[int, int]:
        """The axis that is cut, and how many of its values a box has."""
        sizes, rest = self.sizes, 1
        for axis in range(len(sizes) - 1, -1, -1):
            if rest * sizes[axis] > self.block:
                return axis, max(1, self.block // rest)
            rest *= sizes[axis]
        return 0, sizes[0] if sizes else 1

    @property
    def boxes(self) -> int:
        """How many boxes there are."""
        if not self.sizes:
            return 1
        axis, length = self._cut
        return prod(self.sizes[:axis]) * -(-self.sizes[axis] // length)

    def each(self, first: int = 0) -> Iterator[Box]:
        """The boxes in order, from one of them on."""
        if not self.sizes:
            return iter([()])
        axis, length = self._cut
        size = self.sizes[axis]
        after = tuple((0, n) for n in self.sizes[axis + 1:])
        boxes = ((*early, (i, min(i + length, size)), *after)
                 for early in _single(self.sizes[:axis]) for i in range(0, size, length))
        return islice(boxes, first, None)


def _single(sizes: Sequence[int]) -> Iterator[Box]:
    """Every way to take one value of each of some axes, the last one running fastest."""
    if not sizes:
        yield ()
        return
    for early in _single(sizes[:-1]):
        for i in range(sizes[-1]):
            yield (*early, (i, i + 1))


def listed(values: Any) -> Any:
    """Values of an axis as an array; of a range those that it has.

    >>> listed(range(1, 10**9)[4:6]).tolist()
    [5, 6]
    """
    if isinstance(values, range):
        return np.arange(values.start, values.stop, values.step, dtype=np.int64)
    return values


class Here:
    """One box after another, keeping what does not change from one to the next.

    Attributes:
        now: the box.
        shape: its sides.
    """

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.names = {name: axis for axis, name in enumerate(grid.values)}
        self.columns = list(grid.values.values())
        self.move(next(grid.each()))
        self._kept: dict[Any, tuple[Any, Any]] = {}

    def move(self, box: Box) -> None:
        """Go to a box."""
        self.now = box
        self.shape = tuple([stop - start for start, stop in box])

    @property
    def points(self) -> int:
        """How many points the box has."""
        return prod(self.shape)

    def axis(self, name: str) -> Any:
        """The values of an axis in the box, lying along it."""
        number = self.names[name]
        start, stop = self.now[number]
        shape = [1] * len(self.now)
        shape[number] = stop - start
        return listed(self.columns[number][start:stop]).reshape(shape)

    def keep(self, key: Any, axes: Axes, make: Callable[[], Any]) -> Any:
        """What was made for the same part of these axes; else it is made."""
        part = tuple(self.now[axis] for axis in sorted(axes))
        found = self._kept.get(key)
        if found is None or found[0] != part:
            found = self._kept[key] = (part, make())
        return found[1]

    def flat(self, axes: Axes, arrays: Sequence[Any]) -> tuple[list[Any], tuple[int, ...]]:
        """Arrays that vary along some axes, point by point of these; and the shape of it."""
        shape = tuple(side if axis in axes else 1 for axis, side in enumerate(self.shape))
        return [np.broadcast_to(array, shape).ravel() for array in arrays], shape


def digest(values: Any) -> str:
    """The sum of the values of an axis, some at a time."""
    found = hashlib.sha256()
    for start in range(0, len(values), BLOCK):
        found.update(listed(values[start:start + BLOCK]).tobytes())
    return found.hexdigest()


def ascending(name: str, given: Sequence[int] | Any, least: int = 1) -> Any:
    """The values of an axis: each once, ascending; a range stays one.

    >>> ascending("L", [32, 16, 32]).tolist(), ascending("L", range(16, 10**6))
    ([16, 32], range(16, 1000000))

    Raises:
        BadValue: there is none, or one that a dim cannot have.
    """
    if isinstance(given, range) and given:
        given = given if given.step > 0 else given[::-1]
        for end in (given[0], given[-1]):
            whole_number(name, end, least)
        return given
    array = np.asarray(given)
    if array.size == 0 or array.ndim != 1 or array.dtype.kind not in "iuO":
        raise BadValue(name, "its values", "must be whole numbers, at least one")
    for value in (array if array.dtype.kind == "O" else (array.min(), array.max())):
        whole_number(name, value if isinstance(value, int) or array.dtype.kind == "O"
                     else int(value), least)
    found = array.astype(np.int64)
    if not np.all(found[1:] > found[:-1]):  # np.unique is slow where there is nothing to be done
        found = np.sort(found)
        found = found[np.concatenate([[True], found[1:] > found[:-1]])]
    return found
