"""Which of many configurations to show first: exact ones, then those that meet most preferences.

Within the tolerance a tenth of a per cent matters less to anybody who trains the model than an
FFN of an odd shape or 33 heads; so closeness is one preference among others. Every preference is
a name that stands on the configurations that meet it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from typing import Any, TypeAlias

from symparam.constraints import Standing
from symparam.errors import SymparamError
from symparam.solve.lattice import usual_ffn
from symparam.solve.request import Request
from symparam.solve.solution import Configuration

Dims: TypeAlias = Mapping[str, int]

#: A configuration as close as this is close enough to be preferred for it.
CLOSE = Fraction(1, 1000)
CLOSENESS = "error at most 0.1 %"

#: How dims are written; others follow.
WRITTEN = ("V", "L", "d_model", "n_heads", "n_kv", "d_head", "d_ff", "n_ctx")

#: How far depth and width may be from those of a published model that is called near.
NEAR = math.log(1.1)


@dataclass(frozen=True)
class Preference:
    """Something that one would rather have, with its name."""

    name: str
    dims: tuple[str, ...]
    holds: Callable[[Dims], bool]


def preferences(request: Request) -> list[Preference]:
    """What is preferred for this architecture and size."""
    head = 128 if request.large else 64
    table = [
        Preference(f"d_head {head}", ("d_head",), lambda d: d["d_head"] == head),
        Preference("n_heads a multiple of 8", ("n_heads",), lambda d: d["n_heads"] % 8 == 0),
        Preference("d_model a multiple of 256", ("d_model",), lambda d: d["d_model"] % 256 == 0),
        Preference("64 ≤ d_model/L ≤ 160", ("L", "d_model"),
                   lambda d: 64 * d["L"] <= d["d_model"] <= 160 * d["L"]),
    ]
    if request.equation("n_kv", Standing.DEFINITION) is None:
        table.append(Preference("n_kv 8", ("n_kv",), lambda d: d["n_kv"] == 8))
    ratio = usual_ratio(request)
    if ratio is not None:
        for percent in (10, 5):  # what is within 5 % meets both, and so counts twice
            table.insert(0, Preference(f"d_ff/d_model within {percent} % of {ratio}",
                                       ("d_model", "d_ff"), partial(_within, ratio, percent)))
    return [p for p in table if set(p.dims) <= set(request.model.dims)
            and not set(p.dims) <= set(request.numbers)]


def usual_ratio(request: Request) -> Fraction | None:
    """The usual d_ff/d_model, where the architecture's usual d_ff is a multiple of the width."""
    usual = usual_ffn(request)
    if usual is None or usual.inputs != ("d_model",):
        return None
    from symparam.expression import evaluate

    one, two = (evaluate(usual.expr, {"d_model": width}) for width in (1, 2))
    return Fraction(one) if two == 2 * one else None


def _within(ratio: Fraction, percent: int, dims: Dims) -> bool:
    return 100 * _off(dims, ratio) <= percent * ratio.numerator * dims["d_model"]


def _off(dims: Dims, ratio: Fraction) -> int:
    """How far d_ff is from the ratio, in units of one over its denominator."""
    return abs(dims["d_ff"] * ratio.denominator - ratio.numerator * dims["d_model"])


def rank(points: Iterable[tuple[int, Dims]], request: Request, limit: int) -> list[Configuration]:
    """The best points as configurations, best first.

    Order: exact ones; then by how many preferences are met, closeness among them; the error; how
    near d_ff/d_model is to the usual; the dims.
    """
    table, ratio, target = preferences(request), usual_ratio(request), request.target
    noted = [(total, dims, (*_notes(table, dims), *_close(total, target)))
             for total, dims in points]
    noted.sort(key=lambda n: (n[0] != target, -len(n[2]), abs(n[0] - target),
                              _closeness(n[1], ratio), _in_order(n[1])))
    return [_configuration(*n, target) for n in noted[:limit]]


def _close(total: int, target: int) -> tuple[str, ...]:
    return (CLOSENESS,) if abs(total - target) <= CLOSE * target else ()


def nearest(points: Iterable[tuple[int, Dims]], request: Request,
            limit: int) -> list[Configuration]:
    """The points by closeness alone: what is shown where nothing meets the target."""
    table, target = preferences(request), request.target
    ordered = sorted(points, key=lambda p: (abs(p[0] - target), _in_order(p[1])))
    return [_configuration(total, dims, _notes(table, dims), target)
            for total, dims in ordered[:limit]]


def _notes(table: Sequence[Preference], dims: Dims) -> tuple[str, ...]:
    return tuple(p.name for p in table if p.holds(dims))


def _closeness(dims: Dims, ratio: Fraction | None) -> Fraction:
    if ratio is None or "d_ff" not in dims:
        return Fraction(0)
    return Fraction(_off(dims, ratio), dims["d_model"])


def _in_order(dims: Dims) -> tuple[Any, ...]:
    return tuple(dims.get(name, 0) for name in WRITTEN), tuple(sorted(dims.items()))


def _configuration(total: int, dims: Dims, notes: tuple[str, ...], target: int) -> Configuration:
    names = [name for name in WRITTEN if name in dims]
    ordered = {name: dims[name] for name in [*names, *(n for n in dims if n not in names)]}
    return Configuration(ordered, total, Fraction(total - target, target), notes,
                         published_near(dims))


def published_near(dims: Dims) -> str | None:
    """The model of the catalogue nearest in depth and width; None where none is within 10 %.

    Of several with the same depth and width, the one with most dims alike.

    >>> published_near({"V": 32000, "L": 32, "d_model": 4096, "n_kv": 32, "d_ff": 11008})
    'llama-2-7b'
    """
    if not {"L", "d_model"} <= set(dims):
        return None
    near = [(distance, i, name) for i, (name, *shape) in enumerate(_outlines())
            if (distance := _distance(dims, *shape)) <= NEAR]
    closest = [(i, name) for distance, i, name in near if distance == min(near)[0]]
    if len(closest) == 1:
        return closest[0][1]
    return min(((-sum(dims.get(n) == v for n, v in _dims_of(name).items()), i, name)
                for i, name in closest), default=(0, 0, None))[2]


def _distance(dims: Dims, depth: int, width: int) -> float:
    return max(abs(math.log(dims["L"] / depth)), abs(math.log(dims["d_model"] / width)))


@cache
def _outlines() -> tuple[tuple[str, int, int], ...]:
    from symparam.spec import catalogue

    return tuple(catalogue.outlines())


@cache
def _dims_of(name: str) -> Dims:
    """The dims of a model of the catalogue; none where its entry cannot be read."""
    from symparam.spec import catalogue

    try:
        return catalogue.published(name).values
    except SymparamError:
        return {}
