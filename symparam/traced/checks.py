"""What a trace could not move apart, as checks: a value that breaks an assumption is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from symparam.errors import ConstraintViolated

TRACE_AGAIN = "trace again with these numbers"


@dataclass(frozen=True)
class Fixed:
    """A dim that the rows hold for at one number alone."""

    dim: str
    number: int | Fraction
    reason: str

    @property
    def dims(self) -> tuple[str, ...]:
        """The dims that it looks at."""
        return (self.dim,)

    def check(self, dims: Mapping[str, int]) -> None:
        """Raise ConstraintViolated at any other number."""
        here = dims.get(self.dim, self.number)
        if here != self.number:
            raise ConstraintViolated(str(self), self.reason, {self.dim: here}, TRACE_AGAIN)

    def renamed(self, names: Mapping[str, str]) -> Fixed:
        """The same for a dim of another name."""
        return Fixed(names.get(self.dim, self.dim), self.number, self.reason)

    def __str__(self) -> str:
        return f"{self.dim} = {self.number}"


@dataclass(frozen=True)
class Proportional:
    """Two dims that were in one ratio at every point, so that nobody knows which one counts."""

    first: str
    second: str
    ratio: Fraction
    reason: str

    @property
    def dims(self) -> tuple[str, ...]:
        """The dims that it looks at."""
        return self.first, self.second

    def check(self, dims: Mapping[str, int]) -> None:
        """Raise ConstraintViolated at any other ratio."""
        a, b = dims.get(self.first), dims.get(self.second)
        if a is not None and b is not None and a != self.ratio * b:
            raise ConstraintViolated(str(self), self.reason, {self.first: a, self.second: b},
                                     TRACE_AGAIN)

    def renamed(self, names: Mapping[str, str]) -> Proportional:
        """The same relation between dims of other names."""
        return Proportional(names.get(self.first, self.first), names.get(self.second, self.second),
                            self.ratio, self.reason)

    def __str__(self) -> str:
        factor = "" if self.ratio == 1 else f"{self.ratio}*"
        return f"{self.first} = {factor}{self.second}"
