"""Equations that give a dim from others, and how firmly each holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from enum import Enum
from fractions import Fraction
from functools import cached_property

from symparam import expression as ex
from symparam.arithmetic import Rounding
from symparam.dataclass import dataclass
from symparam.errors import BadValue
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

#: How far a number that would do is sought.
NEAR = 256


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

    def taken_at(self, values: Mapping[str, int]) -> Equation:
        """The same without rounding (:mod:`symparam.smooth`), numbers deciding between the parts of
        ``max`` and ``min``.

        Raises:
            NotDerivable: there is such a choice, and a number is missing.
        """
        return replace(self, expr=smooth(self.expr, values), rounding=None)

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
            if not self.inputs:
                raise BadValue(self.dim, result, "must be a whole number")
            here = ", ".join(f"{name} = {dims[name]}" for name in self.inputs)
            raise BadValue(self.dim, f"{self.expr} = {result}", self._remedy(here, result, dims))
        return int(result)

    def _remedy(self, here: str, value: Fraction, dims: Mapping[str, int]) -> str:
        if self.standing is Standing.DEFINITION:  # (the dim itself is not to be had)
            near = " or ".join(self._near(dims)) or f"other numbers for {' or '.join(self.inputs)}"
            return f"not a whole number for {here}: {near} would do"
        if self.dim == "d_head":
            return (f"not a whole number for {here}: give a d_model that n_heads divides, "
                    "or d_head=... to set the head width on its own")
        return (f"not a whole number for {here}: give {self.dim}=..., for instance "
                f"{self.dim}={int(value)}, or a rounding: {self.dim}='{self.expr}, up to 256'")

    def _near(self, dims: Mapping[str, int]) -> Iterator[str]:
        """For each dim on the right the nearest number that makes it whole."""
        for name in self.inputs:
            for step in sorted(range(1 - min(dims[name], NEAR), NEAR), key=abs):
                with suppress(BadValue, ZeroDivisionError):
                    if isinstance(ex.evaluate(self.expr, {**dims, name: dims[name] + step}), int):
                        yield f"{name}={dims[name] + step}"
                        break

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
