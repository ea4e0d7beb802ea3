"""The published model that a configuration is nearest to."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache

from symparam.errors import SymparamError
from symparam.resolve import resolve

#: How far depth and width may be from those of a published model that is called near.
NEAR_PERCENT = 10
NEAR = math.log(1 + NEAR_PERCENT / 100)


def published_near(dims: Mapping[str, int]) -> str | None:
    """The model of the catalogue nearest in depth and width; None where none is within 10 %.

    Of several with the same depth and width, the one with most dims alike.

    >>> published_near({"V": 50257, "L": 12, "d_model": 768, "n_heads": 12, "n_ctx": 1024})
    'gpt2'
    """
    if not {"L", "d_model"} <= set(dims):
        return None
    near = [(distance, i, name) for i, (name, depth, width) in enumerate(_outlines())
            if 100 * abs(depth - dims["L"]) <= NEAR_PERCENT * depth  # (no logarithm of what is far)
            and (distance := _distance(dims, depth, width)) <= NEAR]
    closest = [(i, name) for distance, i, name in near if distance == min(near)[0]]
    if len(closest) == 1:
        return closest[0][1]
    return min(((-sum(dims.get(n) == v for n, v in _dims_of(name).items()), i, name)
                for i, name in closest), default=(0, 0, None))[2]


def _distance(dims: Mapping[str, int], depth: int, width: int) -> float:
    return max(abs(math.log(dims["L"] / depth)), abs(math.log(dims["d_model"] / width)))


@cache
def _outlines() -> tuple[tuple[str, int, int], ...]:
    from symparam.descriptions import catalogue

    return tuple(catalogue.outlines())


@cache
def _dims_of(name: str) -> Mapping[str, int]:
    """The dims of a model of the catalogue; none where its entry cannot be read."""
    from symparam.descriptions import catalogue

    try:
        return resolve(catalogue.published(name)).values
    except SymparamError:
        return {}
