"""Equations put into a count, one step each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symparam import expression as ex
from symparam.constraints import Equation
from symparam.count import Count
from symparam.derivation import arrange, substeps
from symparam.derivation.assumptions import Assumption
from symparam.derivation.parts import Part
from symparam.derivation.state import State
from symparam.derivation.step import Line, Step
from symparam.errors import NotDerivable
from symparam.symbols import from_sympy, symbol

#: A formula with more terms than this is of no use to a reader, and slow.
MOST_TERMS = 1000


@dataclass(frozen=True)
class Constrained:
    """The steps that put equations in.

    Attributes:
        steps: one for each equation that the formula depends on.
        used: these equations.
        last: the count under all of them.
        exact: the count under those that the model's numbers meet, before any met nearly.
    """

    steps: list[Step]
    used: list[Assumption]
    last: State
    exact: State


def constrained(found: list[Part], count: Count, chosen: Sequence[Assumption], line: Line,
                full: bool) -> Constrained:
    """One step for each equation that the formula depends on.

    Args:
        found: the parts.
        count: the count in its general form.
        chosen: the equations, in order.
        line: the line that the first step starts from.
        full: whether each step shows what becomes of the parts.
    """
    steps: list[Step] = []
    used: list[Assumption] = []
    state = exact = State(count, {})
    for assumption in chosen:
        eq = assumption.equation
        if symbol(eq.dim) not in state.count.plain().free_symbols:
            continue
        refuse_swelling(state.count, eq)
        before, state = state, state.under(eq)
        after = arrange.by_stack(found, state.count, state.given)
        inner = substeps.by_part(found, before, state, assumption) if full else ()
        steps.append(Step("assume", "P", line, after, eq.reason, eq,
                          holds_here=assumption.holds_here, substeps=inner))
        line = after
        used.append(assumption)
        if all(a.holds_here != "nearly" for a in used):
            exact = state
    return Constrained(steps, used, state, exact)


def refuse_swelling(count: Count, eq: Equation) -> None:
    """Refuse an assumption after which multiplying out would not end soon."""
    tree = ex.substitute(from_sympy(count.plain()), {eq.dim: eq.expr})
    if ex.expanded_terms(tree) > MOST_TERMS:
        raise NotDerivable(f"with {eq} the formula has more than {MOST_TERMS} terms once it is "
                           "multiplied out: assume something simpler")
