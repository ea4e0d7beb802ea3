"""The dims of a swept model (fixed, along an axis, or following) and what they must meet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from symparam import expression as ex
from symparam.constraints import Equation, Standing
from symparam.dataclass import dataclass
from symparam.grammar import Rule
from symparam.model import Model
from symparam.points.conditions import of_check
from symparam.points.table import PointTable, follow
from symparam.resolve import MAX_DIM, following, whole_number
from symparam.sweep.factored import Axes
from symparam.sweep.grid import Here


@dataclass(frozen=True)
class Demand:
    """What a point must meet.

    Attributes:
        text: in words.
        dims: what it looks at.
        equation: the rule that has to come out whole, or the definition that has to hold.
        holds: of a check, where it does.
    """

    text: str
    dims: tuple[str, ...]
    equation: Equation | None = None
    holds: Any = None


@dataclass(frozen=True)
class Dims:
    """All dims of a swept model.

    Attributes:
        fixed: those that have one number.
        axes: along which axes each of the others varies.
        rules: those that follow and vary, each with its equation, in order.
        tests: what the points must meet.
        zeros: those that may be 0.
    """

    fixed: Mapping[str, int]
    axes: Mapping[str, Axes]
    rules: Mapping[str, Equation]
    tests: tuple[Demand, ...]
    zeros: frozenset[str] = frozenset()

    @classmethod
    def of(cls, model: Model, axes: Sequence[str], names: Iterable[str]) -> Dims:
        """The dims of a model some of which are axes.

        Args:
            model: the model, every override but the axes applied.
            axes: the dims that are axes.
            names: further dims that are wanted if they follow.

        Raises:
            BadValue: a rule between fixed dims is not whole.
        """
        fixed = {name: value for name, value in model.values.items() if name not in axes}
        along = {name: frozenset({number}) for number, name in enumerate(axes)}
        rules: dict[str, Equation] = {}
        for eq in following(model, {*fixed, *axes}, names):
            varies = frozenset().union(*(along.get(name, ()) for name in eq.inputs))
            if varies:
                along[eq.dim] = varies
                rules[eq.dim] = eq
            else:
                fixed[eq.dim] = whole_number(eq.dim, eq.value(fixed), model.least(eq.dim))
        return cls(fixed, along, rules, tuple(_tests(model, fixed, along, rules)), model.zeros)

    @property
    def known(self) -> list[str]:
        """Every dim that has numbers."""
        return [*self.fixed, *self.axes]

    def axes_of(self, names: Iterable[str]) -> Axes:
        """The axes along which any of some dims vary."""
        return frozenset().union(*(self.axes.get(name, ()) for name in names))

    def value(self, here: Here, name: str) -> Any:
        """A dim in the box that is looked at: a number, or an array along its axes."""
        if name in self.fixed:
            return self.fixed[name]
        return here.axis(name) if name in here.names else self._followed(here, name)[0]

    def fails(self, here: Here, test: Demand) -> Any:
        """Where a test is not met; None where it is met in the whole box."""
        return here.keep(("fails", test), self.axes_of(test.dims), lambda: self._fails(here, test))

    def _fails(self, here: Here, test: Demand) -> Any:
        if test.equation is None:
            holds = self._checked(here, test)
        elif test.equation.dim in self.rules:
            holds = self._followed(here, test.equation.dim)[1]
        else:
            value, whole = self._ruled(here, test.equation)
            holds = whole & (value == self.value(here, test.equation.dim))
        return None if np.all(holds) else ~np.asarray(holds, dtype=bool)

    def _checked(self, here: Here, test: Demand) -> Any:
        axes = self.axes_of(test.dims)
        columns, shape = here.flat(axes, [self.value(here, name) for name in test.dims])
        held = test.holds(dict(zip(test.dims, columns, strict=True)))
        return np.broadcast_to(held, columns[0].shape).reshape(shape)

    def _followed(self, here: Here, name: str) -> tuple[Any, Any]:
        """A dim that follows, and where it comes out whole."""
        eq = self.rules[name]
        found: tuple[Any, Any] = here.keep(name, self.axes[name], lambda: self._ruled(here, eq))
        return found

    def _ruled(self, here: Here, eq: Equation) -> tuple[Any, Any]:
        axes = self.axes_of(eq.inputs)
        varying = [name for name in eq.inputs if name in self.axes]
        columns, shape = here.flat(axes, [self.value(here, name) for name in varying])
        table = PointTable({name: self.fixed[name] for name in eq.inputs if name in self.fixed},
                      dict(zip(varying, columns, strict=True)), len(columns[0]) if columns else 1)
        value, whole = follow(Rule(eq.expr, eq.rounding), table, int(eq.dim not in self.zeros))
        for input_ in varying:  # what follows from a number that is none is none
            if input_ in self.rules:
                whole = whole & here.flat(axes, [self._followed(here, input_)[1]])[0][0]
        return value.reshape(shape), whole.reshape(shape)

    def most(self, largest: Mapping[str, tuple[int, int]]) -> dict[str, int]:
        """A bound for every dim from the smallest and largest value of each axis."""
        ends: dict[str, tuple[Fraction, Fraction]] = {
            name: (Fraction(low), Fraction(high)) for name, (low, high) in largest.items()}
        ends |= {name: (Fraction(value),) * 2 for name, value in self.fixed.items()}
        for name, eq in self.rules.items():
            low, high = _ends(eq.expr, ends)
            step = eq.rounding.multiple if eq.rounding else 0
            ends[name] = (max(Fraction(1), low - step), min(Fraction(MAX_DIM), high + step))
        return {name: int(high) for name, (_, high) in ends.items()}


def _tests(model: Model, fixed: Mapping[str, int], axes: Mapping[str, Axes],
           rules: Mapping[str, Equation]) -> Iterator[Demand]:
    """What can fail somewhere: rules, definitions and checks that look at what varies.

    Raises:
        ConstraintViolated: what is fixed breaks a check.
    """
    for name, eq in rules.items():
        yield Demand(f"{eq} is a whole number", (name, *eq.inputs), eq)
    for eq in model.all_equations():
        names = {eq.dim, *eq.inputs}
        if eq.standing is Standing.DEFINITION and eq not in rules.values() and names <= {
                *fixed, *axes} and names & set(axes):
            yield Demand(str(eq), (eq.dim, *eq.inputs), eq)
    for check in model.all_checks():
        if not set(check.dims) & set(axes):
            check.check(fixed)
        elif set(check.dims) <= {*fixed, *axes}:
            found = of_check(check)
            yield Demand(found.text, tuple(check.dims), holds=found.holds)


def _ends(expr: ex.Expr, ends: Mapping[str, tuple[Fraction, Fraction]]) -> tuple[Fraction,
                                                                                Fraction]:
    """Between what an expression lies, from between what its symbols lie."""
    match expr:
        case ex.Num(value):
            return Fraction(value), Fraction(value)
        case ex.Sym(name):
            return ends[name]
        case ex.Sum(terms):
            parts = [_ends(term, ends) for term in terms]
            return sum((a for a, _ in parts), Fraction(0)), sum((b for _, b in parts), Fraction(0))
        case ex.Product(factors):
            low, high = Fraction(1), Fraction(1)
            for factor in factors:
                low, high = _times((low, high), _ends(factor, ends))
            return low, high
        case ex.Quotient(top, bottom):
            low, high = _ends(bottom, ends)
            if low > 0:
                return _times(_ends(top, ends), (1 / high, 1 / low))
        case ex.Power(base, int(exponent)) if exponent >= 0:
            low, high = Fraction(1), Fraction(1)
            for _ in range(exponent):
                low, high = _times((low, high), _ends(base, ends))
            return low, high
        case ex.Extreme(mode, parts):
            pick = {"max": max, "min": min}[mode]
            bounds = [_ends(part, ends) for part in parts]
            return pick(low for low, _ in bounds), pick(high for _, high in bounds)
    return Fraction(1), Fraction(MAX_DIM)  # no dim is larger


def _times(first: tuple[Fraction, Fraction], second: tuple[Fraction, Fraction]) -> tuple[
        Fraction, Fraction]:
    products = [a * b for a in first for b in second]
    return min(products), max(products)
