"""What one would rather have of a configuration, each with a name and a weight.

They decide between configurations that are as close as each other to the target: a tenth of a
percentage point matters less to anybody who trains the model than an FFN of an odd shape or 33
heads. The ranges are those of published models (the catalogue's decoders: nine tenths of them lie
in the ranges of d_model/L).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

from symparam import expression as ex
from symparam.constraints import Standing
from symparam.dataclass import dataclass
from symparam.errors import BadValue, UnknownName
from symparam.points.ratios import Ratio
from symparam.solve.requests.goals import Goal
from symparam.solve.requests.request import LARGE, Request, usual_ffn

#: One point or many: dims with numbers or with columns.
Points: TypeAlias = Mapping[str, Any]

#: From here on a model is called huge: widths grow faster than depths.
HUGE = 10**10

#: The weight of a total that is met to the last parameter, and the largest that may be given.
EXACT, HEAVIEST = 100, 1000


#: What stands beside the dims of a point: the count that is wanted first, times its scale.
COUNT = "P"


@dataclass(frozen=True)
class Preference:
    """Something that one would rather have.

    Attributes:
        key: its short name, for ``--weight``.
        name: what it asks for.
        dims: the dims that it looks at; none for those that look at the error.
        holds: whether it is met; over columns, where it is.
        weight: how much it counts.
    """

    key: str
    name: str
    dims: tuple[str, ...]
    holds: Callable[[Points], Any]
    weight: int = 1


def preferences(request: Request, goal: Goal, open_dims: Collection[str]) -> tuple[Preference, ...]:
    """What is preferred for this architecture and size, with the weights asked for.

    Args:
        request: what was asked.
        goal: what is wanted first, best of all to the last parameter.
        open_dims: the dims in which configurations differ; what looks at others says nothing.

    Raises:
        UnknownName: a weight for something that is not among them.
    """
    known = {p.key: p for p in (*_of_dims(request), _of_error(goal))
             if not p.dims or set(p.dims) & set(open_dims)}
    everything = {"exact", "ffn", "ffn-near", "head", "heads", "width", "shape", "kv", "power",
                  "split", "close"}  # close: former name of what the order now begins with
    for key, weight in request.weights.items():
        if key not in everything:
            raise UnknownName("preference", key, everything)
        if not 0 <= weight <= HEAVIEST:
            raise BadValue(f"--weight {key}", weight, f"expected 0 to {HEAVIEST}")
        if key in known:
            known[key] = replace(known[key], weight=weight)
    return tuple(known.values())


def _of_dims(request: Request) -> list[Preference]:
    head, shape = (128 if request.large else 64), usual_shape(request.size)
    table = [
        Preference("head", f"d_head {head}", ("d_head",),
                   partial(_is, "d_head", head), 2),
        Preference("heads", "n_heads a multiple of 8", ("n_heads",),
                   partial(_divided, "n_heads", 8)),
        Preference("width", "d_model a multiple of 256", ("d_model",),
                   partial(_divided, "d_model", 256)),
        Preference("power", "d_model a power of two", ("d_model",),
                   partial(_power_of_two, "d_model")),
        Preference("shape", str(shape), ("L", "d_model"), shape.holds),
    ]
    if "n_heads" in request.wishes.ranges:  # elsewhere heads split the width anyway
        table.append(Preference("split", "heads together as wide as d_model",
                                ("n_heads", "d_head", "d_model"), _split, 3))
    if request.equation("n_kv", Standing.DEFINITION) is None:
        table.append(Preference("kv", "n_kv 8", ("n_kv",), partial(_is, "n_kv", 8)))
    ratio = usual_ratio(request)
    if ratio is not None:
        for key, percent in (("ffn-near", 10), ("ffn", 5)):  # within 5 % meets both
            name = f"d_ff/d_model within {percent} % of {ratio}"
            table.insert(0, Preference(key, name, ("d_model", "d_ff"),
                                       partial(_within, ratio, percent), 2))
    return [p for p in table if set(p.dims) <= set(request.model.dims)]


def _of_error(goal: Goal) -> Preference:
    return Preference("exact", "no error at all", (), partial(_is, COUNT, goal.aim), EXACT)


def usual_shape(target: int) -> Ratio:
    """The d_model/L of nine in ten published decoders of a size."""
    low, high = (32, 100) if target < LARGE else (64, 160) if target < HUGE else (80, 208)
    return Ratio("d_model", "L", Fraction(low), Fraction(high))


def usual_ratio(request: Request) -> Fraction | None:
    """The usual d_ff/d_model, where the architecture's usual d_ff is a multiple of the width."""
    usual = usual_ffn(request)
    if usual is None or usual.inputs != ("d_model",):
        return None
    one, two = (ex.evaluate(usual.expr, {"d_model": width}) for width in (1, 2))
    return Fraction(one) if two == 2 * one else None


# What is asked are functions of the module, so that a solution can travel between processes.

def _is(name: str, value: Any, dims: Points) -> Any:
    return dims[name] == value


def _divided(name: str, step: int, dims: Points) -> Any:
    return dims[name] % step == 0


def _power_of_two(name: str, dims: Points) -> Any:
    return dims[name] & (dims[name] - 1) == 0


def _split(dims: Points) -> Any:
    return dims["n_heads"] * dims["d_head"] == dims["d_model"]


def _within(ratio: Fraction, percent: int, dims: Points) -> Any:
    return 100 * off(dims, ratio) <= percent * ratio.numerator * dims["d_model"]


def off(dims: Points, ratio: Fraction) -> Any:
    """How far d_ff is from the ratio, in units of one over its denominator."""
    return abs(dims["d_ff"] * ratio.denominator - ratio.numerator * dims["d_model"])
