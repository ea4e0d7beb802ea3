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
from symparam.arithmetic import decimal
from symparam.dataclass import dataclass
from symparam.errors import BadValue
from symparam.grammar import Rule
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


def shown(value: Fraction) -> str:
    """A number as it is said: with a few decimals where those are all of it.

    >>> shown(Fraction(576, 5)), shown(Fraction(8, 3)), shown(Fraction(160))
    ('115.2', '8/3', '160')
    """
    if 10**4 % value.denominator:
        return str(value)
    text = decimal(value, 4)
    return text.rstrip("0").rstrip(".")


@dataclass(frozen=True)
class Ratio:
    """A range for one dim over another: 32 ≤ d_model/L ≤ 256.

    Attributes:
        top, bottom: the dims.
        low, high: the range; one number for both where the ratio is to be held.
        steps: fewer steps than the last of these is a dim away from the range, as widths and depths
            come in steps; below an earlier one is better. None where the range holds to the letter.
    """

    top: str
    bottom: str
    low: Fraction
    high: Fraction
    steps: tuple[int, ...] = ()

    @property
    def dims(self) -> frozenset[str]:
        """Both dims."""
        return frozenset({self.top, self.bottom})

    def holds(self, dims: Mapping[str, Any]) -> Any:
        """Whether it does; over arrays, where it does. Steps are ones of the dim below."""
        return self._reached(self.bottom, dims, 1, max(self.steps, default=0))

    def looseness(self, dim: str, dims: Mapping[str, Any], step: int) -> Any:
        """How many of the tighter steps it does not hold within; over arrays, at each row.

        >>> held = Ratio("d_ff", "d_model", Fraction(4), Fraction(4), steps=(1, 2, 8))
        >>> [held.looseness("d_ff", {"d_model": 512, "d_ff": n}, 64) for n in (2048, 2112, 2304)]
        [0, 1, 2]
        """
        return sum(1 - 1 * self._reached(dim, dims, step, steps) for steps in self.steps[:-1])

    def _reached(self, dim: str, dims: Mapping[str, Any], step: int, steps: int) -> Any:
        first, last = self.reach(dim, dims[self.other(dim)], step, steps)
        return (first * step <= dims[dim]) & (dims[dim] <= last * step)

    def around(self, dim: str) -> tuple[Fraction, Fraction]:
        """The factors between which a dim lies, times the other one."""
        if dim == self.top:
            return self.low, self.high
        return 1 / self.high, 1 / self.low

    def reach(self, dim: str, other: Any, step: int = 1, steps: int = 0) -> tuple[Any, Any]:
        """The first and the last multiple of a step that a dim may be, over the step.

        Args:
            dim: one of the two.
            other: the number of the other one, or an array of its numbers.
            step: the step.
            steps: fewer steps than this is it away from the range; 0: none.

        >>> Ratio("d_model", "L", Fraction(100), Fraction(128)).reach("L", 1000)
        (8, 10)
        >>> Ratio("d_model", "L", Fraction(128), Fraction(128)).reach("L", 1000, steps=1)
        (7, 8)
        """
        low, high = self.around(dim)
        first = -(-(low.numerator * other) // (low.denominator * step))
        last = (high.numerator * other) // (high.denominator * step)
        if steps:  # so many further, less the one that would be too far
            met = first * low.denominator * step == low.numerator * other
            ends = last * high.denominator * step == high.numerator * other
            first, last = first - steps + met, last + steps - ends
        return first, last

    def other(self, dim: str) -> str:
        """The dim that stands against one of them."""
        return self.bottom if dim == self.top else self.top

    def __str__(self) -> str:
        low, high = shown(self.low), shown(self.high)
        within = f" within {self.steps[-1]} steps" if self.steps else ""
        if low == high:
            return f"{self.top}/{self.bottom} = {low}{within}"
        return f"{low} ≤ {self.top}/{self.bottom} ≤ {high}{within}"


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

    numbers: tuple[int, ...]

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
