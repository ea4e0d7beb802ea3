"""Counts at whole numbers, from the matrices anew: finite steps and doublings.

Nothing here knows a derivative; every number is the ledger's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from fractions import Fraction
from typing import TypeAlias

from symparam import expression as ex
from symparam.constraints import Sums
from symparam.dataclass import dataclass
from symparam.errors import SymparamError
from symparam.model import Model
from symparam.resolve import check_definitions, whole_number
from symparam.sensitivity.held import Follow, Held

Dims: TypeAlias = dict[str, int]
#: What is counted, at numbers for all dims.
Measure: TypeAlias = Callable[[Mapping[str, int]], ex.Rational]

#: Steps that people take; what begins with ``L`` counts layers. What is not here goes by ones.
STEPS: Mapping[str, tuple[int, ...]] = {
    "V": (64,), "d_model": (64, 128), "d_ff": (256,), "d_expert": (256,), "d_shared": (256,),
    "d_head": (64,), "n_ctx": (1024,)}

#: How many multiples of a usual step are tried where the step itself is not possible.
TRIES = 64


@dataclass(frozen=True)
class Place:
    """Numbers for all dims, and what else may be taken for the heads there.

    Attributes:
        model: whose checks hold.
        values: its own numbers.
        held: what follows the dim that is moved.
        any_split: whether only n_heads·d_head matters, so that where heads of the model's number
            do not come out whole, heads of its width may.
    """

    model: Model
    values: Mapping[str, int]
    held: Held
    any_split: bool = False

    def at(self, number: int) -> Dims:
        """All dims where the one that is moved has another number.

        Raises:
            SymparamError: something does not come out whole there, or breaks a check.
        """
        try:
            return self._checked(self._moved(number))
        except SymparamError as error:
            if not self.any_split:
                raise
            reason = error
        try:
            return self._checked(self._as_heads(number))
        except SymparamError:
            raise reason from None

    def _moved(self, number: int) -> Dims:
        dims = {**self.values, self.held.wrt: whole_number(self.held.wrt, number)}
        for follow in self.held.follows:
            dims[follow.dim] = self._followed(follow, dims)
        return dims

    def _followed(self, follow: Follow, dims: Mapping[str, int]) -> int:
        eq = follow.equation
        if follow.exact or eq.rounds:
            return whole_number(eq.dim, eq.value(dims))
        step = Fraction(ex.evaluate(eq.expr, dims)) - ex.evaluate(eq.expr, self.values)
        return whole_number(eq.dim, ex.whole(self.values[eq.dim] + step))

    def _as_heads(self, number: int) -> Dims:
        """More heads of the same width, rather than wider ones."""
        dims: dict[str, int | Fraction] = {**self.values, self.held.wrt: number}
        for follow in self.held.follows:
            if follow.dim == "d_head":
                wide = Fraction(ex.evaluate(follow.equation.expr, dims))
                heads = self.values["n_heads"] * wide / self.values["d_head"]
                dims |= {"n_heads": heads, "d_head": self.values["d_head"]}
                if "n_kv" in self.values:
                    dims["n_kv"] = heads * self.values["n_kv"] / self.values["n_heads"]
            elif follow.dim != "n_kv":
                dims[follow.dim] = follow.equation.value(dims)  # type: ignore[arg-type]
        return {name: whole_number(name, ex.whole(value)) for name, value in dims.items()}

    def _checked(self, dims: Dims) -> Dims:
        check_definitions(self.model.all_equations(), dims)
        for check in self.model.all_checks():
            if isinstance(check, Sums) and self.held.wrt != check.whole and (
                    self.held.wrt in check.parts and check.parts[-1] not in self.held.dims):
                dims[check.whole] = sum(dims[part] for part in check.parts)
            check.check(dims)
        return dims


@dataclass(frozen=True)
class FiniteStep:
    """What a whole step changes, exactly.

    Attributes:
        delta: the step.
        to: the number that the dim then has.
        change: what is counted there less what it is here; None where there is no such model.
        dims: the numbers of all dims that are others there.
        refused: why there is no such model; empty where there is.
    """

    delta: int
    to: int
    change: ex.Rational | None
    dims: Mapping[str, int] = field(default_factory=dict)
    refused: str = ""


def steps(place: Place, measure: Measure, asked: tuple[int, ...] = ()) -> list[FiniteStep]:
    """The steps that were asked for; else those that people take, or the next that is possible."""
    name = place.held.wrt
    usual = asked or STEPS.get(name, (1,))
    found = [finite_step(place, measure, delta) for delta in usual]
    if asked or any(step.change is not None for step in found):
        return found
    more = (finite_step(place, measure, delta) for delta in _further(usual[0], place.values[name]))
    return [next((step for step in more if step.change is not None), found[0])]


def _further(step: int, here: int) -> Iterator[int]:
    """Multiples of a step up to a doubling, then ones below.

    >>> list(_further(2, 7)), list(_further(2, 8)), list(_further(3, 2))
    ([4, 6, -2, -4, -6], [4, 6, 8, -2, -4, -6], [])
    """
    yield from (k * step for k in range(2, min(TRIES, here // step) + 1))
    yield from (-k * step for k in range(1, min(TRIES, (here - 1) // step) + 1))


def finite_step(place: Place, measure: Measure, delta: int) -> FiniteStep:
    """One step: what it changes, or why it cannot be taken."""
    values = place.values
    here = values[place.held.wrt]
    if here + delta < 1:
        return FiniteStep(delta, here + delta, None,
                          refused=f"{place.held.wrt} would be {here + delta}")
    try:
        dims = place.at(here + delta)
        change = ex.whole(measure(dims) - measure(values))
    except SymparamError as error:
        return FiniteStep(delta, here + delta, None, refused=str(error))
    moved = {name: number for name, number in dims.items() if number != values.get(name)}
    return FiniteStep(delta, here + delta, change, moved)
