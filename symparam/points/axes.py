"""Axes of a lattice: a dim with the values that it may take.

The values may depend on dims before it (n_heads = d_model/d_head, d_ff between d_model and
8·d_model). An axis gives them for one point; :mod:`symparam.points.table` gives them for many.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.errors import BadValue
from symparam.grammar import Rule
from symparam.points.ratios import Ratio
from symparam.resolve import MAX_DIM


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


@dataclass(frozen=True)
class Axis(ABC):
    """A dim and how its values are found; the base of the kinds of axis.

    Attributes:
        dim: the dim.
    """

    dim: str

    @property
    def needs(self) -> frozenset[str]:
        """The dims that the values depend on."""
        return frozenset()

    @property
    def ranges(self) -> bool:
        """Whether it runs over values of the lattice: neither a rule nor the one unknown."""
        return True

    @property
    @abstractmethod
    def text(self) -> str:
        """The values in words, for the statement of the lattice."""

    @abstractmethod
    def values(self, dims: Mapping[str, int]) -> Sequence[int]:
        """The values at one point, ascending."""


@dataclass(frozen=True)
class Span(Axis):
    """The multiples of a step between bounds, and within ratios to other dims.

    >>> Span("d_ff", 256, ratios=(Ratio("d_ff", "d_model", Fraction(1), Fraction(2)),)).values(
    ...     {"d_model": 512})
    range(512, 1025, 256)
    """

    step: int = 1
    low: int = 1
    high: int | None = None
    ratios: tuple[Ratio, ...] = ()
    before: int = 1

    @property
    def needs(self) -> frozenset[str]:
        """The dims that it stands in a ratio to."""
        return frozenset(ratio.other(self.dim) for ratio in self.ratios)

    @property
    def text(self) -> str:
        """The step, the bounds, the ratios."""
        bounds = [f"multiples of {self.step}"] if self.step > 1 else []
        if self.low > self.step or (self.step == 1 and self.high is not None):
            upper = f" to {self.high}" if self.high is not None else " up"
            bounds.append(f"from {self.low}{upper}")
        elif self.high is not None:
            bounds.append(f"up to {self.high}")
        bounds += map(str, self.ratios)
        if self.before > 1:
            bounds.append("no smaller than in the size before")
        return f"{self.dim}: {', '.join(bounds) or 'any'}"

    @property
    def ends(self) -> tuple[int, int]:
        """The first and the last multiple of the step between the bounds, over the step."""
        low, high = max(1, self.low, self.before), min(self.high or MAX_DIM, MAX_DIM)
        return -(-low // self.step), high // self.step

    def values(self, dims: Mapping[str, int]) -> range:
        """The values at one point."""
        first, last = self.ends
        for ratio in self.ratios:
            reached = ratio.reach(self.dim, dims[ratio.other(self.dim)], self.step,
                                  max(ratio.steps, default=0))
            first, last = max(first, reached[0]), min(last, reached[1])
        return range(first * self.step, last * self.step + 1, self.step)


@dataclass(frozen=True)
class Listed(Axis):
    """Stated values."""

    numbers: Sequence[int]

    @property
    def text(self) -> str:
        """The values."""
        *most, last = map(str, self.numbers)
        return f"{self.dim}: {', '.join(most)}{' or ' if most else ''}{last}"

    def values(self, dims: Mapping[str, int]) -> Sequence[int]:
        """The values, everywhere the same."""
        return self.numbers


@dataclass(frozen=True)
class Divisors(Axis):
    """The divisors of another dim, from one bound to the other."""

    of: str
    low: int = 1
    high: int = MAX_DIM

    @property
    def needs(self) -> frozenset[str]:
        """The dim that is divided."""
        return frozenset({self.of})

    @property
    def text(self) -> str:
        """Whose divisors, and which."""
        if (self.low, self.high) == (1, MAX_DIM):
            return f"{self.dim}: every divisor of {self.of}"
        return f"{self.dim}: the divisors of {self.of} from {self.low} to {self.high}"

    def values(self, dims: Mapping[str, int]) -> Sequence[int]:
        """The divisors at one point."""
        number = dims[self.of]
        if self.high - self.low < 64:
            return tuple(k for k in range(self.low, self.high + 1) if number % k == 0)
        return tuple(k for k in divisors(number) if self.low <= k <= self.high)


@dataclass(frozen=True)
class Follows(Axis):
    """A dim that follows from others by a rule; without a value where that is not whole.

    Attributes:
        rule: what it is.
        least: the smallest number that it may have.
    """

    rule: Rule
    least: int = 1

    @property
    def needs(self) -> frozenset[str]:
        """What the rule looks at."""
        return frozenset(ex.symbols_in(self.rule.expr))

    @property
    def ranges(self) -> bool:
        """Never: it has one value, or none."""
        return False

    @property
    def text(self) -> str:
        """The rule."""
        where = "" if self.rule.rounding or not self.divides else " where whole"
        return f"{self.dim} = {self.rule}{where}"

    @property
    def divides(self) -> bool:
        """Whether the rule may give a fraction."""
        return any(isinstance(e, (ex.Quotient, ex.Power)) or (isinstance(e, ex.Num) and
                   isinstance(e.value, Fraction)) for e in ex.walk(self.rule.expr))

    def values(self, dims: Mapping[str, int]) -> Sequence[int]:
        """The value at one point."""
        value = rule_value(self.rule, dims, self.least)
        return (value,) if isinstance(value, int) and self.least <= value <= MAX_DIM else ()


@dataclass(frozen=True)
class Unknown(Axis):
    """The one dim that was asked for: any whole number."""

    @property
    def ranges(self) -> bool:
        """Never: it is solved for."""
        return False

    @property
    def text(self) -> str:
        """What it may be."""
        return f"{self.dim}: every whole number from 1 to 10^12"

    def values(self, dims: Mapping[str, int]) -> Sequence[int]:
        """All whole numbers that a dim may have."""
        return range(1, MAX_DIM + 1)


def rule_value(rule: Rule, dims: Mapping[str, Any], least: int = 1) -> ex.Rational | None:
    """What a rule gives; None where that is no positive number, or 0 where that may be.

    >>> from symparam.grammar import parse_rule
    >>> rule_value(parse_rule("8/3*d_model"), {"d_model": 4096})
    Fraction(32768, 3)
    """
    try:
        value = ex.evaluate(rule.expr, dims)
    except (ZeroDivisionError, BadValue):
        return None
    if not isinstance(value, (int, Fraction)) or value < 0 or (value == 0 and least):
        return None
    rounded: ex.Rational = rule.rounding.apply(value) if rule.rounding else value
    return rounded


def with_ratio(axis: Span, ratio: Ratio) -> Span:
    """The span with a ratio in place of any other to the same dim."""
    kept = tuple(r for r in axis.ratios if r.dims != ratio.dims)
    return replace(axis, ratios=(*kept, ratio))
