"""Tensors joined in rows: a name pattern, a shape, and which copies of it the row is about."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from symparam.checkpoints.header import Shape
from symparam.dataclass import dataclass
from symparam.layout import NUMBER, pattern

#: A number of choices for each ``*`` of a pattern; every combination of them is meant.
Box = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class TensorRow:
    """Tensors of one name pattern and shape.

    Attributes:
        name: the pattern, numbers written ``*``.
        shape: the shape on the side that has it.
        copies: how many there are.
        other: the other side's shape, where both have the name.
        why: what is known about it.
        spelled: the pattern in the checkpoint's own spelling; as ``name`` where it has none.
        boxes: the numbers that stand for the ``*`` of ``spelled``.
        whole: whether these are all that the model has of the pattern and shape.
    """

    name: str
    shape: Shape
    copies: int
    other: Shape | None = None
    why: str = ""
    spelled: str = ""
    boxes: tuple[Box, ...] = ((),)
    whole: bool = True

    @property
    def numel(self) -> int:
        """Numbers in all copies."""
        return self.copies * math.prod(self.shape)

    def places(self) -> Iterator[tuple[str, int]]:
        """Its names with how many tensors each stands for: the pattern where it is whole.

        >>> row = TensorRow("h.*.w", (2,), 3, spelled="h.*.w", boxes=boxes([(0,), (1,), (5,)]),
        ...           whole=False)
        >>> list(row.places())
        [('h.{0-1,5}.w', 3)]
        """
        parts = (self.spelled or self.name).split("*")
        a_star_of_its_own = len(parts) != len(self.boxes[0]) + 1
        if (self.whole and self.copies > 1) or a_star_of_its_own:
            yield "*".join(parts), self.copies
            return
        for box in self.boxes:
            yield "".join(part + numbers for part, numbers in zip(
                parts, (*map(_ranges, box), ""), strict=True)), math.prod(map(len, box))


def _ranges(found: Sequence[int]) -> str:
    """Ascending numbers in brief: ``{0-2,5}``; a single one as it is."""
    if len(found) == 1:
        return str(found[0])
    runs: list[list[int]] = []
    for number in found:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    words = (f"{first}-{last}" if last > first else str(first) for first, last in runs)
    return "{" + ",".join(words) + "}"


def boxes(numbers: Iterable[tuple[int, ...]]) -> tuple[Box, ...]:
    """Tuples of numbers as few boxes: a layer's experts together, layers that are alike together.

    >>> boxes([(0, 1), (0, 2), (3, 1), (3, 2), (4, 7)])
    (((0, 3), (1, 2)), ((4,), (7,)))
    """
    listed = list(numbers)
    if len(listed) == 1 or not listed[0]:
        return (tuple((number,) for number in listed[0]),)
    below: dict[int, list[tuple[int, ...]]] = {}
    for each in listed:
        below.setdefault(each[0], []).append(each[1:])
    alike: dict[tuple[Box, ...], list[int]] = {}
    for first in sorted(below):
        alike.setdefault(boxes(sorted(set(below[first]))), []).append(first)
    return tuple((tuple(firsts), *box) for rest, firsts in alike.items() for box in rest)


def joined(names: Iterable[str], shapes: Mapping[str, Shape], *, spelled: Mapping[str, str],
           among: Mapping[tuple[str, Shape], int] | None = None,
           others: Mapping[str, Shape] | None = None,
           why: Mapping[str, str] | None = None) -> tuple[TensorRow, ...]:
    """Names joined by pattern and shape, in order.

    Args:
        names: the model's names, or those found that it does not have.
        shapes: their shapes.
        spelled: how the checkpoint spells them, where it does otherwise.
        among: how many of each pattern and shape the model has; None where they are not its own.
        others: shapes on the other side.
        why: what is known about them.
    """
    groups: dict[tuple[str, str, Shape, Shape | None, str], list[str]] = {}
    for name in names:
        own = spelled.get(name, name)
        other = others[name] if others is not None else None
        key = (pattern(name), pattern(own), shapes[name], other, why.get(name, "") if why else "")
        groups.setdefault(key, []).append(own)
    rows = (TensorRow(name, shape, len(held), other, reason, own,
                boxes(tuple(map(int, NUMBER.findall(each))) for each in held) if "*" in own
                else ((),),
                among is not None and among[name, shape] == len(held))
            for (name, own, shape, other, reason), held in groups.items())
    return tuple(sorted(rows, key=lambda row: (row.name, row.shape)))


def counted(shapes: Mapping[str, Shape]) -> Counter[tuple[str, Shape]]:
    """How many tensors there are of each pattern and shape."""
    return Counter((pattern(name), shape) for name, shape in shapes.items())
