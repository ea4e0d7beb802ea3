"""Relations between dims, each with its reason; never applied silently.

An :class:`Equation` gives a dim from others (``d_head = d_model/n_heads``, "heads split the
width"). :class:`Divides`, :class:`Sums` and :class:`Differs` are checks on numbers. All stand
declared beside what they belong to, expressions as text of the closed grammar.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol

from symparam import expression as ex
from symparam.arithmetic import Rounding
from symparam.errors import BadValue, ConstraintViolated
from symparam.smooth import rounds, smooth


class Standing(Enum):
    """How firmly an equation holds in an architecture."""

    DEFINITION = "definition"  # what the option means: multi-head is n_kv = n_heads
    DEFAULT = "default"        # used where nothing else is said
    CANDIDATE = "candidate"    # used only where the numbers meet it
    INVERSE = "inverse"        # a default read backwards, to find a dim that was not given
    ASSUMED = "assumed"        # asked for by the user
    PATTERN = "pattern"        # how many layers are of a kind, by where they stand


#: The standings of equations that give a dim its number, firmest first.
FILLING = (Standing.ASSUMED, Standing.DEFINITION, Standing.DEFAULT, Standing.PATTERN,
           Standing.INVERSE)


@dataclass(frozen=True)
class Equation:
    """``dim = expr``, with a reason and, for numbers, an optional rounding.

    >>> from symparam.grammar import parse_expression
    >>> eq = Equation("d_head", parse_expression("d_model/n_heads"), "heads split the width")
    >>> eq.value({"d_model": 4096, "n_heads": 32}), str(eq)
    (128, 'd_head = d_model/n_heads')
    """

    dim: str
    expr: ex.Expr
    reason: str
    standing: Standing = Standing.DEFAULT
    rounding: Rounding | None = None

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """The dims that the right side needs."""
        return tuple(ex.symbols_in(self.expr))

    @cached_property
    def unrounded(self) -> Equation:
        """The same without rounding, at its end and inside (:mod:`symparam.smooth`)."""
        return replace(self, expr=smooth(self.expr), rounding=None)

    def value(self, dims: Mapping[str, int]) -> int:
        """The dim's whole value.

        Raises:
            BadValue: the right side is not a whole number there.
        """
        try:
            exact = ex.evaluate(self.expr, dims)
        except ZeroDivisionError:
            raise BadValue(self.dim, str(self.expr), "divides by zero here") from None
        except BadValue as error:
            raise BadValue(self.dim, str(self.expr), f"must be a whole number; {error}") from None
        result = self.rounding.apply(exact) if self.rounding else exact
        if isinstance(result, Fraction):
            here = ", ".join(f"{name} = {dims[name]}" for name in self.inputs)
            raise BadValue(self.dim, f"{self.expr} = {result}", self._remedy(here, result))
        return int(result)

    def _remedy(self, here: str, value: Fraction) -> str:
        if self.dim == "d_head":
            return (f"not a whole number for {here}: give a d_model that n_heads divides, "
                    "or d_head=... to set the head width on its own")
        return (f"not a whole number for {here}: give {self.dim}=..., for instance "
                f"{self.dim}={int(value)}, or a rounding: {self.dim}='{self.expr}, up to 256'")

    def holds(self, dims: Mapping[str, int]) -> bool | None:
        """Whether numbers meet it exactly; None while a dim has no number."""
        if self.dim not in dims or any(name not in dims for name in self.inputs):
            return None
        try:
            return bool(ex.evaluate(self.expr, dims) == dims[self.dim])
        except (BadValue, ZeroDivisionError):
            return False

    @property
    def rounds(self) -> bool:
        """Whether the right side is brought to a whole number, at its end or inside."""
        return self.rounding is not None or rounds(self.expr)

    def renamed(self, names: Mapping[str, str]) -> Equation:
        """The same relation between dims of other names."""
        if not names:
            return self
        symbols = {old: ex.Sym(new) for old, new in names.items()}
        return replace(self, dim=names.get(self.dim, self.dim),
                       expr=ex.substitute(self.expr, symbols))

    def sides(self) -> tuple[ex.Expr, ex.Expr]:
        """Both sides as people state them: a product on the left rather than a quotient.

        >>> from symparam.grammar import parse_expression
        >>> [str(s) for s in Equation("d_head", parse_expression("d_model/n_heads"), "").sides()]
        ['n_heads*d_head', 'd_model']
        """
        if isinstance(self.expr, ex.Quotient):
            return self.expr.bottom * ex.Sym(self.dim), self.expr.top
        return ex.Sym(self.dim), self.expr

    def __str__(self) -> str:
        tail = f", {self.rounding}" if self.rounding else ""
        return f"{self.dim} = {self.expr}{tail}"


class Check(Protocol):
    """A relation that numbers must meet."""

    @property
    def dims(self) -> tuple[str, ...]:
        """The dims that it looks at."""

    def check(self, dims: Mapping[str, int]) -> None:
        """Pass, or raise ConstraintViolated; dims without a number are not checked."""

    def renamed(self, names: Mapping[str, str]) -> Check:
        """The same relation between dims of other names."""


@dataclass(frozen=True)
class Divides:
    """``divisor`` divides ``dividend``: n_kv divides n_heads, 2 divides d_head."""

    divisor: str | int
    dividend: str
    reason: str

    @property
    def dims(self) -> tuple[str, ...]:
        """The dims that it looks at."""
        return (self.dividend, *([self.divisor] if isinstance(self.divisor, str) else []))

    def check(self, dims: Mapping[str, int]) -> None:
        """Raise ConstraintViolated where a remainder is left."""
        by = dims.get(self.divisor) if isinstance(self.divisor, str) else self.divisor
        of = dims.get(self.dividend)
        if by is None or of is None:
            return
        if by == 0:
            raise ConstraintViolated(str(self), self.reason, {str(self.divisor): 0},
                                     "must be at least 1")
        if of % by == 0:
            return
        values = {self.dividend: of}
        if isinstance(self.divisor, int):
            raise ConstraintViolated(str(self), self.reason, values,
                                     f"{of - of % by or by} or {of - of % by + by} would do")
        near = sorted(_divisors_near(of, by), key=lambda d: abs(d - by))[:4]
        values[self.divisor] = by
        raise ConstraintViolated(str(self), self.reason, values, f"with {self.dividend} = {of}, "
                                 f"{self.divisor} = {' or '.join(map(str, sorted(near)))} would do")

    def renamed(self, names: Mapping[str, str]) -> Divides:
        """The same relation between dims of other names."""
        divisor = names.get(self.divisor, self.divisor) if isinstance(self.divisor, str) else (
            self.divisor)
        return Divides(divisor, names.get(self.dividend, self.dividend), self.reason)

    def __str__(self) -> str:
        return f"{self.divisor} divides {self.dividend}"


@dataclass(frozen=True)
class Sums:
    """Dims that add up to another: the kinds of layer to L."""

    parts: tuple[str, ...]
    whole: str
    reason: str

    @property
    def dims(self) -> tuple[str, ...]:
        """The dims that it looks at."""
        return (*self.parts, self.whole)

    def check(self, dims: Mapping[str, int]) -> None:
        """Raise ConstraintViolated where the parts do not add up."""
        names = (*self.parts, self.whole)
        if any(name not in dims for name in names):
            return
        total = sum(dims[name] for name in self.parts)
        if total != dims[self.whole]:
            raise ConstraintViolated(str(self), self.reason, {n: dims[n] for n in names},
                                     f"the parts add up to {total}")

    def renamed(self, names: Mapping[str, str]) -> Sums:
        """The same relation between dims of other names."""
        parts = tuple(names.get(part, part) for part in self.parts)
        return Sums(parts, names.get(self.whole, self.whole), self.reason)

    def __str__(self) -> str:
        return f"{' + '.join(self.parts)} = {self.whole}"


@dataclass(frozen=True)
class Differs:
    """Two dims that differ, because a projection between them was listed."""

    first: str
    second: str
    reason: str

    @property
    def dims(self) -> tuple[str, ...]:
        """The dims that it looks at."""
        return self.first, self.second

    def check(self, dims: Mapping[str, int]) -> None:
        """Raise ConstraintViolated where they are equal."""
        a, b = dims.get(self.first), dims.get(self.second)
        if a is not None and a == b:
            raise ConstraintViolated(str(self), self.reason, {self.first: a, self.second: b},
                                     "another architecture: describe it as one")

    def renamed(self, names: Mapping[str, str]) -> Differs:
        """The same relation between dims of other names."""
        return Differs(names.get(self.first, self.first), names.get(self.second, self.second),
                       self.reason)

    def __str__(self) -> str:
        return f"{self.first} differs from {self.second}"


@dataclass(frozen=True)
class AtMost:
    """A dim that is no larger than another: the experts that a token uses, of those there are."""

    less: str
    more: str
    reason: str

    @property
    def dims(self) -> tuple[str, ...]:
        """The dims that it looks at."""
        return self.less, self.more

    def check(self, dims: Mapping[str, int]) -> None:
        """Raise ConstraintViolated where it is larger."""
        a, b = dims.get(self.less), dims.get(self.more)
        if a is not None and b is not None and a > b:
            raise ConstraintViolated(str(self), self.reason, {self.less: a, self.more: b},
                                     f"{self.less} up to {b} would do")

    def renamed(self, names: Mapping[str, str]) -> AtMost:
        """The same relation between dims of other names."""
        return AtMost(names.get(self.less, self.less), names.get(self.more, self.more),
                      self.reason)

    def __str__(self) -> str:
        return f"{self.less} is at most {self.more}"


@dataclass(frozen=True)
class KnownFor:
    """How many layers of a kind there are is known between two depths alone.

    Giving the number anew takes the check away (:func:`symparam.resolve.with_overrides`). Without
    a dim it is where layers begin that the model has not.
    """

    dim: str
    whole: str
    low: int
    high: int | None
    reason: str

    @property
    def dims(self) -> tuple[str, ...]:
        """The depth that it looks at."""
        return (self.whole,)

    def check(self, dims: Mapping[str, int]) -> None:
        """Raise ConstraintViolated where nobody says which layers are of the kind."""
        here = dims.get(self.whole)
        if here is not None and not self.holds(here):
            remedy = f"give {self.dim}=... as well" if self.dim else "another architecture"
            raise ConstraintViolated(str(self), self.reason, {self.whole: here}, remedy)

    def holds(self, whole: Any) -> Any:
        """Whether a depth is one of those; over arrays, where it is."""
        above = whole >= self.low
        return above if self.high is None else above & (whole <= self.high)

    def renamed(self, names: Mapping[str, str]) -> KnownFor:
        """The same relation between dims of other names."""
        return replace(self, dim=names.get(self.dim, self.dim),
                       whole=names.get(self.whole, self.whole))

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
class Compares:
    """Two expressions of which one is, is not, is less than or at most the other.

    >>> from symparam.grammar import parse_expression
    >>> check = Compares(ex.Num(6), "<", parse_expression("n_heads"), "else widths are doubled")
    >>> check.check({"n_heads": 8})
    >>> str(check)
    '6 < n_heads'
    """

    left: ex.Expr
    sign: str
    right: ex.Expr
    reason: str

    @property
    def dims(self) -> tuple[str, ...]:
        """The dims that it looks at."""
        return tuple(dict.fromkeys([*ex.symbols_in(self.left), *ex.symbols_in(self.right)]))

    def check(self, dims: Mapping[str, int]) -> None:
        """Raise ConstraintViolated where the answer is another, or there is none."""
        if any(name not in dims for name in self.dims):
            return
        here = {name: dims[name] for name in self.dims}
        try:
            sides = ex.evaluate(self.left, here), ex.evaluate(self.right, here)
            said = f"here {' and '.join(map(str, sides))}"
            holds = SIGNS[self.sign](*sides)
        except (BadValue, ZeroDivisionError):
            holds, said = False, "a side has no value here"
        if not holds:
            raise ConstraintViolated(str(self), self.reason, here, said)

    def renamed(self, names: Mapping[str, str]) -> Compares:
        """The same relation between dims of other names."""
        symbols = {old: ex.Sym(new) for old, new in names.items()}
        return Compares(ex.substitute(self.left, symbols), self.sign,
                        ex.substitute(self.right, symbols), self.reason)

    def __str__(self) -> str:
        return f"{self.left} {self.sign} {self.right}"


def _divisors_near(number: int, near: int) -> list[int]:
    """Divisors of a number within a factor of about four of another, at bounded cost."""
    low, high = max(1, near // 4), min(number, near * 4, near // 4 + 20_000)
    return [d for d in range(low, high + 1) if number % d == 0] or [1]
