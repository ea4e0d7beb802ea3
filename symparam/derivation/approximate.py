"""The leading term of a model where nobody said how its widths go together.

A width takes the ratio to the model's width that a rule of the model has: as it stands, or a usual
multiple of it that the model's numbers meet (``d_ff = 7/2*d_model``, twice as wide heads). A width
without such a rule is no part of another: it stays a letter, and powers are counted in all widths
together. A ratio that numbers have by accident (a state of a 160th of the width) is never taken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

import sympy as sp

from symparam import expression as ex
from symparam.arranged import degree, product
from symparam.constraints import Equation, Standing
from symparam.count import Count
from symparam.dataclass import dataclass
from symparam.derivation.arrange import by_power, by_stack, kinds
from symparam.derivation.assumptions import NEARLY
from symparam.derivation.leading import Dropped, as_one, kept_of, rounded, untied
from symparam.derivation.plan import Derivation, derive
from symparam.derivation.state import replaced
from symparam.derivation.step import Line, Step
from symparam.dims import D_MODEL, order_key
from symparam.errors import BadValue, NotDerivable
from symparam.polynomial import Powers
from symparam.symbols import collected, expression_of, to_sympy

#: A multiple of a rule is usual in these parts of the width and up to so many widths.
PARTS, MOST = 4, 8


@dataclass(frozen=True)
class Approximation:
    """A leading term and what it leaves out.

    Attributes:
        widths: the symbols in which powers are counted, the model's width first.
        steps: of the derivation to it; the last one keeps the leading term.
        dropped: what is left out; sums to the last number with it.
    """

    widths: tuple[str, ...]
    steps: tuple[Step, ...]
    dropped: tuple[Dropped, ...]

    @property
    def formula(self) -> ex.Expr:
        """The leading term."""
        return self.steps[-1].after.expr


def approximate(d: Derivation) -> Approximation | None:
    """The terms of the highest power of a model's widths, and all others exactly.

    None where there is no such term: of another quantity than a count, of a model without
    ``d_model``, and where a width is rounded.

    >>> from symparam.descriptions.load import load
    >>> found = approximate(derive(load("llama-3-8b")))
    >>> str(found.formula), found.widths, str([s.given for s in found.steps if s.given][-1])
    ('1/2*L*d_model**2*(25 + 4*n_kv/n_heads)', ('d_model',), 'd_ff = 7/2*d_model')
    >>> approximate(derive(load("deepseek-v3"))).widths[:3]
    ('d_model', 'd_nope', 'd_rope')
    """
    if d.leading is not None:
        return Approximation((d.leading,), d.steps, d.dropped)
    width = D_MODEL.name
    if d.quantity.at_work or width not in d.model.dims:
        return None
    free = untied(d.model, Count(d.exact.shares), width, d.assumptions)
    try:
        return _highest(derive(d.model, (*d.assume, *map(str, _ratios(d, free))),
                               quantity=d.quantity.name))
    except (NotDerivable, BadValue):
        return None


def _ratios(d: Derivation, free: list[str]) -> list[Equation]:
    """For each width that a rule relates to the model's, the multiple of the rule that it has; a
    rule that is met nearly where no width stays a letter."""
    rules = [next((found for eq in d.model.all_equations() if eq.dim == name
                   and D_MODEL.name in eq.inputs and eq.standing is not Standing.INVERSE
                   if (found := _multiple(eq, d.values)) is not None), None) for name in free]
    exact = [eq for eq in rules if eq is not None and eq.holds(d.values)]
    return [eq for eq in rules if eq is not None] if None not in rules else exact


def _multiple(eq: Equation, values: Mapping[str, int]) -> Equation | None:
    """A rule as numbers meet it: a usual multiple, or itself where they are near it."""
    terms = collected(to_sympy(eq.expr)).terms
    if len(terms) != 1 or eq.rounds or eq.holds(values) is None:
        return None
    (powers, own), = terms.items()
    ratio = Fraction(values[eq.dim]) / Fraction(ex.evaluate(eq.expr, values))
    if (times := ratio * own).denominator <= PARTS and times <= MOST:
        return Equation(eq.dim, product(powers, times), eq.reason)
    return replace(eq, rounding=None) if abs(ratio - 1) <= NEARLY * ratio else None


def _highest(d: Derivation) -> Approximation | None:
    """The terms of the highest power of the widths that no equation replaces, as the formula is
    written; the others by powers of the model's width."""
    count = Count(d.steps[-1].after.shares)
    width, whole = D_MODEL.name, collected(count.plain())
    if width not in whole.names or rounded(count, width, d.assumptions):
        return None
    others = untied(d.model, count, width, d.assumptions)
    widths = (width, *others, *sorted(d.model.ranks & whole.names, key=order_key))
    most = max(degree(powers, widths) for powers in whole.terms)
    high = _only(count, lambda powers: degree(powers, widths) >= most)
    low = _only(count, lambda powers: degree(powers, widths) < most)
    found = kept_of(d.symbol, d.steps, _written(d, high), by_power(low, width, kinds(d.ledger)),
                    f"power of {' and '.join(widths)}", d.values, d.value)
    return Approximation(widths, (*d.steps, *found.steps), found.dropped)


def _only(count: Count, keeps: Callable[[Powers], bool]) -> Count:
    """The products of a count that are kept."""
    parts = {path: sp.Add(*(expression_of(powers, number) for powers, number in own.terms.items()
                            if keeps(powers))) for path, own in count.polynomials.items()}
    return Count({path: share for path, share in parts.items() if share != 0})


def _written(d: Derivation, high: Count) -> Line:
    """Terms as the formula is written; as one where the same product would stand in several."""
    found = by_stack(list(d.parts), high, replaced(d.steps))
    alone = [tuple(each) for term in found.terms
             if len(each := collected(to_sympy(term.shown)).terms) == 1]
    return found if len(alone) == len(set(alone)) else as_one(found)

