"""Relations that hold where a trace begins, and what is done to keep them at other points.

A constructor that compares two numbers goes one of two ways. A trace stays on the way that its
base takes: a point that is refused, or has other tensors, is brought back by the comparisons
whose answer changed there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from symparam.tracing.recording.records import Comparison
from symparam.tracing.recording.terms import Path, Term, evaluate, keys_in, number

#: A repaired number is never larger: tables of positions would grow beyond use.
MAX_VALUE = 60_000


def outcome(relation: Comparison, values: dict[Path, Any]) -> bool | None:
    """The answer at a point; None where it cannot be worked out."""
    try:
        left, right = evaluate(relation.left, values), evaluate(relation.right, values)
    except (ArithmeticError, ValueError, TypeError, KeyError):
        return None
    return bool(left == right if relation.operation == "==" else left < right)


def apart(relation: Comparison, values: dict[Path, Any]) -> float:
    """How far the sides of a comparison are from each other, of what they are together."""
    left, right = float(evaluate(relation.left, values)), float(evaluate(relation.right, values))
    return abs(left - right) / (abs(left) + abs(right) or 1.0)


def broken(relations: Iterable[Comparison], values: dict[Path, Any]) -> list[Comparison]:
    """The relations that are answered otherwise at a point than at the base."""
    return [r for r in relations if outcome(r, values) is not r.outcome]


def divides(relation: Comparison) -> tuple[Term, Term] | None:
    """Dividend and divisor, where a relation says that no remainder is left."""
    if relation.operation == "==" and relation.outcome:
        for side, other in ((relation.left, relation.right), (relation.right, relation.left)):
            if other == number(0) and side[0] == "%":
                return side[1], side[2]
            if side[0] == "*" and other in (t[1] for t in side[1:] if t[0] == "//"):
                for whole, by in (side[1:], side[:0:-1]):  # a // b * b == a
                    if whole == ("//", other, by):
                        return other, by
    return None


def repaired(values: dict[Path, Any], relations: Iterable[Comparison],
             held: frozenset[Path] = frozenset(),
             limits: Mapping[Path, int] | None = None) -> dict[Path, Any]:
    """A point near another at which relations hold as far as that can be had.

    Args:
        values: the point.
        relations: what has to hold.
        held: keys that are not changed.
        limits: the largest number that a key may be brought to, where it is not the usual one.
    """
    limits = limits or {}
    relations = list(relations)
    for _ in range(4):
        wrong = broken(relations, values)
        if not wrong:
            break
        for relation in wrong:
            for tried in _mended(values, relation, held):
                if outcome(relation, tried) is relation.outcome and all(
                        tried[p] <= max(values[p], limits.get(p, MAX_VALUE))
                        for p in relation.keys - held):
                    values = tried
                    break
    return values


def _mended(values: dict[Path, Any], relation: Comparison,
            held: frozenset[Path]) -> Iterable[dict[Path, Any]]:
    """Points at which one key was changed so that a relation may hold."""
    division = divides(relation)
    if division is not None:
        yield from _divided(values, *division, held)
        return
    for mine, other in ((relation.left, relation.right), (relation.right, relation.left)):
        try:
            here, there = evaluate(mine, values), evaluate(other, values)
        except (ArithmeticError, ValueError, TypeError, KeyError):
            continue
        for path in sorted(keys_in(mine) - held, key=str):
            old = values[path]
            if relation.operation == "==" and relation.outcome:
                wanted = [_ratio(old, there, here)]
            elif relation.operation == "==":
                wanted = [old + 1, 2 * old]
            else:
                near = _ratio(old, there, here)
                wanted = [near, *(near + step if near is not None else None
                                  for step in (-1, 1, -2, 2))]
            for new in wanted:
                if new is not None and new > 0 and isinstance(old, int):
                    yield {**values, path: new}


def _ratio(old: Any, there: Any, here: Any) -> int | None:
    """The value of a key that brings a product with it to another number."""
    if not here:
        return int(there) if there else None
    new = old * there / here
    return int(new) if math.isfinite(new) else None


def _divided(values: dict[Path, Any], top: Term, bottom: Term,
             held: frozenset[Path]) -> Iterable[dict[Path, Any]]:
    """Points at which a dividend is a multiple of its divisor."""
    try:
        above, below = evaluate(top, values), evaluate(bottom, values)
    except (ArithmeticError, ValueError, TypeError, KeyError):
        return
    if not isinstance(above, int) or not isinstance(below, int) or below <= 0:
        return
    for path in sorted(keys_in(top) - held, key=str):
        old = values[path]
        if isinstance(old, int) and old > 0:
            for new in (max(1, old // below) * below, old * (below // math.gcd(above, below))):
                if new > 0:
                    yield {**values, path: new}
    for path in sorted(keys_in(bottom) - held, key=str):
        old = values[path]
        if isinstance(old, int):
            for new in range(min(old, 64), 0, -1):
                yield {**values, path: new}
