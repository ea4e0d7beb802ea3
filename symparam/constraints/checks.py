"""Relations that numbers must meet, by what they ask."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from symparam import expression as ex
from symparam.constraints.check import Check
from symparam.dataclass import dataclass
from symparam.errors import BadValue


@dataclass(frozen=True)
class Divides(Check):
    """``divisor`` divides ``dividend``: n_kv divides n_heads, 2 divides d_head."""

    of = ("dividend", "divisor")
    divisor: str | int
    dividend: str
    reason: str

    def broken(self, here: Mapping[str, int]) -> str | None:
        """Which divisors, or dividends of a number, are near; None where nothing is left over."""
        divisor, of = self.divisor, here[self.dividend]
        by = here[divisor] if isinstance(divisor, str) else divisor
        if by == 0:
            return f"{divisor} must be at least 1"
        if of % by == 0:
            return None
        if isinstance(divisor, int):
            return f"{of - of % by or by} or {of - of % by + by} would do"
        near = sorted(_divisors_near(of, by), key=lambda d: abs(d - by))[:4]
        return (f"with {self.dividend} = {of}, {divisor} = "
                f"{' or '.join(map(str, sorted(near)))} would do")

    def __str__(self) -> str:
        return f"{self.divisor} divides {self.dividend}"


@dataclass(frozen=True)
class Sums(Check):
    """Dims that add up to another: the kinds of layer to L."""

    of = ("parts", "whole")
    parts: tuple[str, ...]
    whole: str
    reason: str

    def broken(self, here: Mapping[str, int]) -> str | None:
        """What the parts add up to, where it is not the whole."""
        total = sum(here[name] for name in self.parts)
        return None if total == here[self.whole] else f"the parts add up to {total}"

    def __str__(self) -> str:
        return f"{' + '.join(self.parts)} = {self.whole}"


@dataclass(frozen=True)
class Differs(Check):
    """Two dims that differ, because a projection between them was listed."""

    of = ("first", "second")
    first: str
    second: str
    reason: str

    def broken(self, here: Mapping[str, int]) -> str | None:
        """That equal ones are another architecture."""
        same = here[self.first] == here[self.second]
        return "another architecture: describe it as one" if same else None

    def __str__(self) -> str:
        return f"{self.first} differs from {self.second}"


@dataclass(frozen=True)
class AtMost(Check):
    """A dim that is no larger than another: the experts that a token uses, of those there are."""

    of = ("less", "more")
    less: str
    more: str
    reason: str

    def broken(self, here: Mapping[str, int]) -> str | None:
        """The largest number that there may be, where it is larger."""
        most = here[self.more]
        return f"{self.less} up to {most} would do" if here[self.less] > most else None

    def __str__(self) -> str:
        return f"{self.less} is at most {self.more}"


@dataclass(frozen=True)
class KnownFor(Check):
    """How many layers of a kind there are is known between two depths alone.

    Giving the number anew takes the check away (:func:`symparam.resolve.with_overrides`). Without
    a dim it is where layers begin that the model has not.
    """

    of = ("dim", "whole")
    looks_at = ("whole",)
    dim: str
    whole: str
    low: int
    high: int | None
    reason: str

    def broken(self, here: Mapping[str, int]) -> str | None:
        """What to give as well, where nobody says which layers are of the kind."""
        if self.holds(here[self.whole]):
            return None
        return f"give {self.dim}=... as well" if self.dim else "another architecture"

    def holds(self, whole: Any) -> Any:
        """Whether a depth is one of those; over arrays, where it is."""
        above = whole >= self.low
        return above if self.high is None else above & (whole <= self.high)

    def __str__(self) -> str:
        known = f", for which {self.dim} is known" if self.dim else ""
        if self.low == self.high:
            return f"{self.whole} = {self.low}{known}"
        most = f"at most {self.high}" if self.high is not None else ""
        least = f"at least {self.low}" if self.low > 1 or not most else ""
        return f"{self.whole} {' and '.join(filter(None, (least, most)))}{known}"


#: What a comparison asks, by how it is written.
SIGNS: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le}


@dataclass(frozen=True)
class Compares(Check):
    """Two expressions of which one is, is not, is less than or at most the other.

    >>> from symparam.grammar import parse_expression
    >>> check = Compares(ex.Num(6), "<", parse_expression("n_heads"), "else widths are doubled")
    >>> check.check({"n_heads": 8})
    >>> str(check)
    '6 < n_heads'
    """

    of = ("left", "right")
    left: ex.Expr
    sign: str
    right: ex.Expr
    reason: str

    def broken(self, here: Mapping[str, int]) -> str | None:
        """What the sides are, where the answer is another or there is none."""
        try:
            sides = ex.evaluate(self.left, here), ex.evaluate(self.right, here)
        except (BadValue, ZeroDivisionError):
            return "a side has no value here"
        return None if SIGNS[self.sign](*sides) else f"here {' and '.join(map(str, sides))}"

    def __str__(self) -> str:
        return f"{self.left} {self.sign} {self.right}"


def _divisors_near(number: int, near: int) -> list[int]:
    """Divisors of a number within a factor of about four of another, at bounded cost."""
    low, high = max(1, near // 4), min(number, near * 4, near // 4 + 20_000)
    return [d for d in range(low, high + 1) if number % d == 0] or [1]
