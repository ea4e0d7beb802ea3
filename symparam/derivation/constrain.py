"""Equations put into a count, one step each."""

from __future__ import annotations

from collections.abc import Sequence

from symparam import expression as ex
from symparam.constraints import Equation, Standing
from symparam.count import Count
from symparam.dataclass import dataclass
from symparam.derivation import substeps
from symparam.derivation.assumptions import Assumption
from symparam.derivation.state import State
from symparam.derivation.step import Line, Step
from symparam.derivation.whole import Arranging
from symparam.errors import NotDerivable
from symparam.symbols import collected, has, to_sympy

#: A formula with more terms than this is of no use to a reader, and slow.
MOST_TERMS = 1000


#: Equations that are put in whatever becomes of the formula: asked for, or what a dim is.
_KEPT = frozenset({Standing.ASSUMED, Standing.DEFINITION})


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


def constrained(arranging: Arranging, whole: str, count: Count, chosen: Sequence[Assumption],
                line: Line, full: bool) -> Constrained:
    """One step for each equation that the formula depends on, and that makes it shorter.

    Args:
        arranging: how the whole is written.
        whole: the symbol of the whole.
        count: the shares in their general form.
        chosen: the equations, in order.
        line: the line that the first step starts from.
        full: whether each step shows what becomes of the parts.
    """
    steps: list[Step] = []
    used: list[Assumption] = []
    state = exact = State(count, {})
    for assumption in chosen:
        eq = assumption.equation
        if not has(state.count.plain(), eq.dim):
            continue
        if eq.standing not in _KEPT and lengthens(state.count, eq):
            continue
        refuse_swelling(state.count, eq)
        before, state = state, state.under(eq)
        after = arranging.line(state.count, state.given, known=state.brackets)
        inner = substeps.by_part(arranging.found, before, state, assumption) if full else ()
        steps.append(Step("assume", whole, line, after, eq.reason, eq,
                          holds_here=assumption.holds_here, substeps=inner))
        line = after
        used.append(assumption)
        if all(a.holds_here != "nearly" for a in used):
            exact = state
    return Constrained(steps, used, state, exact)


def lengthens(count: Count, eq: Equation) -> bool:
    """Whether all that an equation does is to put dims below a line.

    n_kv·d_head stays as it is in a cache and does not become d_model·n_kv/n_heads; where
    n_heads·d_head is among the terms, it becomes d_model.
    """
    if eq.rounding:
        return False
    below = {name for powers in collected(to_sympy(eq.expr)).terms for name, e in powers if e < 0}
    having = [dict(powers) for powers in collected(count.plain()).terms if eq.dim in dict(powers)]
    return bool(below) and not any(powers.get(name, 0) > 0 for powers in having for name in below)


def refuse_swelling(count: Count, eq: Equation) -> None:
    """Refuse an assumption after which multiplying out would not end soon."""
    inner = ex.expanded_terms(eq.expr)
    terms = sum(ex.power_terms(inner, dict(powers).get(eq.dim, 0))
                for powers in collected(count.plain()).terms)
    if terms > MOST_TERMS:
        raise NotDerivable(f"with {eq} the formula has more than {MOST_TERMS} terms once it is "
                           "multiplied out: assume something simpler")
