"""Relations that every point of a lattice meets, over one point or over arrays of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from symparam.constraints import AtMost, Check, Differs, Divides, KnownFor, Sums
from symparam.dataclass import dataclass
from symparam.errors import ConstraintViolated
from symparam.points.ratios import Ratio

#: Dims with a number each, or with an array of numbers each.
Points: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Condition:
    """A relation between dims.

    Attributes:
        dims: those that it looks at.
        holds: whether it is met; over arrays, where it is.
        text: how it is stated.
        check: the check that it stands for, if there is one.
    """

    dims: frozenset[str]
    holds: Callable[[Points], Any]
    text: str
    check: Check | None = None


def of_check(check: Check) -> Condition:
    """A check of a model as a condition."""
    dims = frozenset(check.dims)
    reason = getattr(check, "reason", "")
    text = f"{check}{f' ({reason})' if reason else ''}"
    return Condition(dims, _test(check), text, check)


def _test(check: Check) -> Callable[[Points], Any]:
    """A check as a test that works over arrays as well."""
    match check:
        case Divides(str(divisor), dividend):
            return lambda d: d[dividend] % d[divisor] == 0
        case Divides(int(number), dividend):
            return lambda d: d[dividend] % number == 0
        case AtMost(less, more):
            return lambda d: d[less] <= d[more]
        case Sums(parts, whole):
            return lambda d: sum(d[p] for p in parts) == d[whole]
        case Differs(first, second):
            return lambda d: d[first] != d[second]
        case KnownFor(whole=whole):
            return lambda d: check.holds(d[whole])
    return _one_by_one(check)


def _one_by_one(check: Check) -> Callable[[Points], Any]:
    """A check of another kind, which knows single numbers alone."""
    def holds(dims: Points) -> Any:
        seen = {name: dims[name] for name in check.dims}
        arrays = [v for v in seen.values() if isinstance(v, np.ndarray)]
        if not arrays:
            return _passes(check, seen)
        rows = range(len(arrays[0]))
        return np.array([_passes(check, {n: int(v[i]) if isinstance(v, np.ndarray) else v
                                         for n, v in seen.items()}) for i in rows], dtype=bool)

    return holds


def _passes(check: Check, dims: Mapping[str, int]) -> bool:
    try:
        check.check(dims)
    except ConstraintViolated:
        return False
    return True


def of_ratio(ratio: Ratio) -> Condition:
    """A range for one dim over another as a condition."""
    return Condition(ratio.dims, ratio.holds, str(ratio))


def multiple_of(dim: str, step: int) -> Condition:
    """That a dim is a multiple of a step."""
    check = Divides(step, dim, "as asked")
    return Condition(frozenset({dim}), _test(check), f"{dim}: a multiple of {step}", check)


def at_least(dim: str, low: int) -> Condition:
    """That a dim is no smaller than in the size before."""
    return Condition(frozenset({dim}), lambda dims: dims[dim] >= low,
                     f"{dim}: no smaller than in the size before")
