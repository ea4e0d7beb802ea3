"""Axes of a lattice, and the order in which they can be gone through.

An axis is a dim with the values it may take, which may depend on dims before it (n_heads =
d_model/d_head). Conditions, such as n_kv divides n_heads, are put on the last of their dims.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from symparam import expression as ex
from symparam.constraints import Check
from symparam.errors import BadValue, ConstraintViolated, MissingDims, NotDerivable
from symparam.grammar import Rule
from symparam.resolve import MAX_DIM

#: Which of several open axes is gone through first; the last ones are never enumerated.
_PRIORITY = ("V", "n_ctx", "d_model", "d_head", "n_heads", "n_kv", "*", "L", "d_ff")


@dataclass(frozen=True)
class Axis:
    """A dim and its values, ascending.

    Attributes:
        dim: the dim.
        text: its values in words, for the statement of the lattice.
        values: from the numbers of the dims before it.
        needs: which of those it looks at.
        rule: the rule, where it has one value (or none, where the rule is not whole).
        marked: whether it was asked for as the one unknown, over all whole numbers.
    """

    dim: str
    text: str
    values: Callable[[Mapping[str, int]], Sequence[int]]
    needs: frozenset[str] = frozenset()
    rule: Rule | None = None
    marked: bool = False

    @property
    def ranges(self) -> bool:
        """Whether it runs over values of the lattice: neither a rule nor the one unknown."""
        return self.rule is None and not self.marked


@dataclass(frozen=True)
class Condition:
    """A relation between dims that every point of a lattice meets."""

    dims: frozenset[str]
    holds: Callable[[Mapping[str, int]], bool]


@dataclass(frozen=True)
class Lattice:
    """Axes in an order in which each finds the numbers that it needs.

    Attributes:
        numbers: dims that are fixed.
        axes: the others, in order.
        conditions: what every point meets.
        independent: from which axis on none looks at another of them.
    """

    numbers: Mapping[str, int]
    axes: tuple[Axis, ...]
    conditions: tuple[Condition, ...]
    independent: int

    @property
    def rules(self) -> dict[str, Rule]:
        """The dims that follow from others."""
        return {axis.dim: axis.rule for axis in self.axes if axis.rule is not None}


def rule_value(rule: Rule, dims: Mapping[str, Any]) -> ex.Rational | None:
    """What a rule gives; None where that is no positive number.

    >>> from symparam.grammar import parse_rule
    >>> rule_value(parse_rule("8/3*d_model"), {"d_model": 4096})
    Fraction(32768, 3)
    """
    try:
        value = ex.evaluate(rule.expr, dims)
    except (ZeroDivisionError, BadValue):
        return None
    if not isinstance(value, (int, Fraction)) or value <= 0:
        return None
    rounded: ex.Rational = rule.rounding.apply(value) if rule.rounding else value
    return rounded


def rule_axis(dim: str, rule: Rule, needs: Iterable[str] | None = None) -> Axis:
    """A dim that follows from others; without a value where the rule is not whole."""
    def values(dims: Mapping[str, int]) -> Sequence[int]:
        value = rule_value(rule, dims)
        return (value,) if isinstance(value, int) and 1 <= value <= MAX_DIM else ()

    needed = ex.symbols_in(rule.expr) if needs is None else needs
    whole = "" if rule.rounding else _where_whole(rule.expr)
    return Axis(dim, f"{dim} = {rule}{whole}", values, frozenset(needed), rule)


def _where_whole(expr: ex.Expr) -> str:
    divides = any(isinstance(e, ex.Quotient) or (isinstance(e, ex.Num) and
                  isinstance(e.value, Fraction)) for e in ex.walk(expr))
    return " where whole" if divides else ""


def marked_axis(dim: str, has_heads: bool) -> Axis:
    """The one unknown: every whole number; for n_kv every divisor of n_heads."""
    if dim == "n_kv" and has_heads:
        return Axis(dim, "n_kv: every divisor of n_heads",
                    lambda dims: divisors(dims["n_heads"]), frozenset({"n_heads"}), marked=True)
    everything = range(1, MAX_DIM + 1)
    return Axis(dim, f"{dim}: every whole number from 1 to 10^12", lambda _: everything,
                marked=True)


def divisors(number: int) -> tuple[int, ...]:
    """All divisors, ascending.

    >>> divisors(12)
    (1, 2, 3, 4, 6, 12)
    """
    small, k = [], 1
    while k * k <= number:
        if number % k == 0:
            small.append(k)
        k += 1
    return tuple(sorted({*small, *(number // k for k in small)}))


def multiples(step: int, low: int | Fraction, high: int | Fraction) -> range:
    """The positive multiples of a step from low to high, both included.

    >>> list(multiples(256, 1000, 1600))
    [1024, 1280, 1536]
    """
    first = max(1, -(-low // step)) * step
    return range(int(first), int(high // step) * step + 1, step)


def condition_of(check: Check, names: Iterable[str]) -> Condition:
    """A check of a model as a condition on those of the dims that it looks at."""
    # A check does not list its dims; renaming a dim changes exactly the checks that look at it.
    dims = frozenset(name for name in names if check.renamed({name: f"{name}'"}) != check)

    def holds(values: Mapping[str, int]) -> bool:
        try:
            check.check(values)
        except ConstraintViolated:
            return False
        return True

    return Condition(dims, holds)


def arrange(model: str, numbers: Mapping[str, int], axes: Iterable[Axis],
            conditions: Iterable[Condition]) -> Lattice:
    """The axes in an order that works, with the conditions put on them.

    Raises:
        MissingDims: a rule needs a dim that has neither a number nor an axis.
        NotDerivable: rules go in a circle, or more is open than the one dim that was marked.
    """
    ordered = _ordered(model, numbers, {axis.dim: axis for axis in axes})
    known = {*numbers, *(axis.dim for axis in ordered)}
    kept = tuple(c for c in conditions if c.dims <= known and not c.dims <= set(numbers))
    mark = next((i for i, axis in enumerate(ordered) if axis.marked), len(ordered))
    for axis in ordered[mark + 1:]:
        if axis.rule is None:
            raise NotDerivable(f"{ordered[mark].dim}=? cannot be searched while {axis.dim} is "
                               f"open: give {axis.dim}=...")
    conditioned = _conditioned(numbers, ordered, mark, kept)
    first = len(conditioned)
    while mark == len(ordered) and first and not any(
            conditioned[first - 1].dim in axis.needs for axis in conditioned[first:]):
        first -= 1
    return Lattice(numbers, tuple(conditioned), kept, first)


def _ordered(model: str, numbers: Mapping[str, int], axes: dict[str, Axis]) -> list[Axis]:
    ordered: list[Axis] = []
    while axes:
        known = {*numbers, *(axis.dim for axis in ordered)}
        ready = [axis for axis in axes.values() if axis.needs <= known]
        if not ready:
            missing = {n for axis in axes.values() for n in axis.needs} - known - set(axes)
            if missing:
                raise MissingDims(sorted(missing), model)
            circle = ", ".join(axis.text for axis in axes.values() if axis.rule)
            raise NotDerivable(f"these rules go in a circle: {circle}; give a number for one")
        ordered.append(axes.pop(min(ready, key=_rank).dim))
    return ordered


def _rank(axis: Axis) -> tuple[bool, bool, int]:
    """Rules as soon as they can be worked out, the marked dim as late as possible."""
    name = axis.dim if axis.dim in _PRIORITY else "*"
    return axis.marked, axis.rule is None, _PRIORITY.index(name)


def _conditioned(numbers: Mapping[str, int], ordered: Sequence[Axis], mark: int,
                 conditions: Iterable[Condition]) -> list[Axis]:
    """Each axis with the conditions that can be decided there.

    What follows the marked dim is left as it is: the search for it asks all conditions itself.
    """
    known, result = set(numbers), list(ordered)
    open_conditions = list(conditions)
    for i, axis in enumerate(ordered[:mark]):
        known.add(axis.dim)
        decided = [c for c in open_conditions if c.dims <= known]
        open_conditions = [c for c in open_conditions if c not in decided]
        if decided:
            result[i] = _filtered(axis, decided)
    return result


def _filtered(axis: Axis, conditions: Sequence[Condition]) -> Axis:
    def values(dims: Mapping[str, int]) -> Sequence[int]:
        return tuple(v for v in axis.values(dims)
                     if all(c.holds({**dims, axis.dim: v}) for c in conditions))

    others = frozenset[str]().union(*(c.dims for c in conditions)) - {axis.dim}
    return replace(axis, values=values, needs=axis.needs | others)
