"""A count under the equations that were put into it so far."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from symparam import expression as ex
from symparam.constraints import Equation
from symparam.count import Count
from symparam.dataclass import dataclass
from symparam.derivation.arrange import Brackets
from symparam.derivation.parts import Part
from symparam.derivation.step import Step
from symparam.symbols import SymExpr, from_sympy, right_side, to_sympy


@dataclass(frozen=True)
class State:
    """A count under equations.

    Attributes:
        count: each matrix's share.
        given: the dims that were replaced, with what stands for them.
        brackets: those of repeated stacks that were written of it (:func:`arrange.by_stack`).
    """

    count: Count
    given: Mapping[str, ex.Expr]
    brackets: Brackets = field(default_factory=dict)

    def under(self, eq: Equation) -> State:
        """The state with a further equation put in."""
        tree = from_sympy(right_side(eq)) if eq.rounding else eq.expr
        earlier = {dim: ex.substitute(expr, {eq.dim: tree}) for dim, expr in self.given.items()}
        return State(self.count.under({eq.dim: right_side(eq)}), {**earlier, eq.dim: tree})

    def with_all(self, given: Mapping[str, ex.Expr]) -> State:
        """The state with dims replaced as another state has them."""
        table = {dim: to_sympy(tree) for dim, tree in given.items()}
        return State(self.count.under(table), given)

    def own_factor(self, part: Part) -> SymExpr:
        """How often the first stack of a part is stored."""
        return part.own_factor_under(self.given)


def replaced(steps: Iterable[Step]) -> Mapping[str, ex.Expr]:
    """The dims that steps put equations in for, with what stands for them after all of them."""
    state = State(Count({}), {})
    for step in steps:
        if step.given is not None:
            state = state.under(step.given)
    return state.given
