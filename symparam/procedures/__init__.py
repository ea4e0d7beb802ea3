"""Rules that are procedures: how the size of a picture is brought to what a model reads.

Each takes whole numbers and gives one. Where the code that is cited works on floats, so do these,
operation by operation: a picture is as large as that code makes it, though a quotient that is whole
may come out below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from symparam.procedures import sides, tiles


def _each(name: str, found: Callable[..., tuple[int, int]]) -> Iterator[tuple[str, Callable[
        ..., int]]]:
    """A procedure that gives two numbers as two that give one: ``rows_NAME``, ``columns_NAME``."""
    yield f"rows_{name}", lambda *given: found(*given)[0]
    yield f"columns_{name}", lambda *given: found(*given)[1]


#: The procedures, by the names that rules have for them.
PROCEDURES: dict[str, Callable[..., int]] = {
    **{each.__name__: each for each in (sides.within_area, sides.filling, sides.patches_within,
                                        sides.within_edge, sides.within_page, sides.averaged)},
    **{name: each for found in (tiles.of_shape, tiles.without_distortion, tiles.unpadded,
                                tiles.kept_small, tiles.split, tiles.windows)
       for name, each in _each(found.__name__, found)}}
