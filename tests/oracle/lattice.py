"""A lattice of dims gone through point by point, and what of it meets some goals.

A lattice is plain data: for each dim, in an order in which each finds what it needs, a list of
values; or ("multiples", step, low, high), or ("times", top, bottom, other, mode, multiple) for a
rule other·top/bottom with an optional rounding, or ("divisors", other, low, high). Nothing is cut
short, nothing is solved for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from . import decoder

Point = dict[str, int]


def points(axes: Mapping[str, Any], ratios: Sequence[tuple[str, str, Fraction, Fraction]] = (),
           rotary: bool = True) -> list[Point]:
    """Every point, with what an architecture asks of dims: heads, rotary positions, experts."""
    found: list[Point] = [{}]
    for dim, said in axes.items():
        found = [{**point, dim: value} for point in found for value in _values(said, point)]
    return [p for p in found if _allowed(p, rotary) and all(
        low <= Fraction(p[top], p[bottom]) <= high for top, bottom, low, high in ratios)]


def _values(said: Any, point: Point) -> Iterator[int]:
    if isinstance(said, list):
        yield from said
        return
    kind, *rest = said
    if kind == "multiples":
        step, low, high = rest
        yield from (n for n in range(low, high + 1) if n % step == 0)
    elif kind == "divisors":
        other, low, high = rest
        yield from (n for n in range(low, high + 1) if point[other] % n == 0)
    else:
        top, bottom, other, mode, multiple = rest
        exact = Fraction(top * point[other], bottom)
        value = _rounded(exact, mode, multiple)
        if value.denominator == 1 and value >= 1:
            yield int(value)


def _rounded(exact: Fraction, mode: str, multiple: int) -> Fraction:
    if not mode:
        return exact
    below = exact // multiple * multiple
    if mode == "down" or below == exact:
        return Fraction(below)
    if mode == "up":
        return Fraction(below + multiple)
    return Fraction(below if exact - below < below + multiple - exact else below + multiple)


def _allowed(point: Point, rotary: bool) -> bool:
    if "n_kv" in point and point["n_heads"] % point["n_kv"]:
        return False
    if rotary and point.get("d_head", 2) % 2:
        return False
    return point.get("top_k", 0) <= point.get("n_experts", 0)


def active(arch: Mapping[str, Any], dims: Mapping[str, int]) -> int:
    """Parameters that a token touches: of each layer's experts, the first top_k."""
    count = 0
    for name, shape in decoder.state_dict(arch, dims).items():
        parts = name.split(".")
        if "experts" in parts and int(parts[parts.index("experts") + 1]) >= dims["top_k"]:
            continue
        size = 1
        for side in shape:
            size *= side
        count += size
    return count


def front(misses: Sequence[tuple[int, ...]]) -> set[tuple[int, ...]]:
    """Those of which no other is as small in every place and smaller in one."""
    return {own for own in misses if not any(
        other != own and all(o <= w for o, w in zip(other, own, strict=True)) for other in misses)}
