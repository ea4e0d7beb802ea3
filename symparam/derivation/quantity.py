"""The derivation of any quantity: list, join, sum, collect, assume, put numbers in, check.

It is proved as the count of parameters is, share by share; the number at its end is worked out
once more from the lists over integers, which know nothing of the formula.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from symparam import expression as ex
from symparam.constraints import Standing
from symparam.count import Count
from symparam.derivation import arrange
from symparam.derivation.assumptions import Assumption, choose, introduced
from symparam.derivation.constrain import refuse_swelling
from symparam.derivation.plan import DETAILS, Numbers, last_exact
from symparam.derivation.portions import (
    Arranging,
    Portion,
    apart,
    listed,
    portions,
    positive_first,
    summed,
)
from symparam.derivation.state import State
from symparam.derivation.step import Line, Step
from symparam.derivation.wanted import Bound, Wanted
from symparam.dims import order_key
from symparam.errors import NotDerivable, UnknownName
from symparam.model import Model
from symparam.quantities import find
from symparam.quantities.cost import RUN, run_of
from symparam.quantities.quantity import Quantity
from symparam.quantities.setting import Setting
from symparam.resolve import resolve
from symparam.symbols import monomials, symbol

#: What each rule does, as a reader is told.
RULES = {
    "take-apart": "the whole is what its components add",
    "join": "each entry is the product of its factors; equal terms are taken together",
    "sum": "the components are put back",
    "collect": "what all terms share stands in front, then the numbers of layers",
}


@dataclass(frozen=True)
class QuantityDerivation:
    """A derivation of a quantity.

    Attributes:
        model: of which model.
        quantity: what is derived.
        setting: formats, ratios and ways to count that it is derived under.
        portions: what each component adds.
        steps: the lines, each proved.
        assumptions: the equations used.
        values: numbers of dims, and of what the model is run with, as far as there are any.
        missing: dims without a number.
        assumed: what of them nobody gave, with why it is so.
        windows: the windows that the formula depends on, and where a sequence stands to each.
        numbers: the numbers put in; None while a dim has none.
        detail: brief, or full with what is joined shown entry by entry.
    """

    model: Model
    quantity: Quantity
    setting: Setting
    portions: tuple[Portion, ...]
    steps: tuple[Step, ...]
    assumptions: tuple[Assumption, ...]
    values: Mapping[str, int]
    missing: tuple[str, ...] = ()
    assumed: Mapping[str, str] = field(default_factory=dict)
    windows: tuple[Bound, ...] = ()
    numbers: Numbers | None = None
    detail: str = "brief"

    @property
    def formula(self) -> ex.Expr:
        """The right side of the last line."""
        return self.steps[-1].after.expr

    @property
    def value(self) -> ex.Rational | None:
        """The exact value, where all dims have numbers."""
        return self.numbers.result if self.numbers else None

    def symbols(self) -> list[str]:
        """The dims that the derivation uses."""
        own = {self.quantity.symbol, *(p.symbol for p in self.portions)}
        names = {n for step in self.steps for line in (step.before, step.after)
                 for n in line.symbols()}
        return sorted(names - own, key=order_key)


def derive_quantity(model: Model, name: str, assume: Sequence[str] = (),
                    setting: Setting | None = None, detail: str = "brief") -> QuantityDerivation:
    """Derive a quantity of a model.

    Args:
        model: an architecture, with or without numbers; ``s``, ``b`` and what else says how it
            is run may be among them.
        name: of the quantity (:func:`symparam.quantities.everything`).
        assume: equations to use besides or instead of the defaults; ``none`` drops those.
        setting: formats, ratios and ways to count.
        detail: ``brief``, or ``full`` with every entry shown before it is joined.

    Raises:
        UnknownName: no such quantity or detail. BadValue: the model lacks what it counts.
        NotDerivable: it is 0 here; a sequence stands between two windows; numbers round where
            the formula does not; or an assumption is far from the numbers.

    >>> from symparam.spec.load import load
    >>> print(derive_quantity(load("llama-2-70b"), "kv_per_token").formula)
    4*L*n_kv*d_head
    """
    if detail not in DETAILS:
        raise UnknownName("detail", detail, DETAILS)
    quantity = find(name)
    run, assumed, _ = run_of(model, setting or Setting())
    resolution = resolve(model, (*model.dims_at_work, *RUN))
    wanted = Wanted(model, quantity, run, resolution)
    count, trees, regime = wanted.symbolic()
    values = wanted.values()
    values.update(introduced(assume, model, values))
    found = portions(quantity.symbol, quantity.shares(trees))
    if not found or count.plain() == 0:
        raise NotDerivable(f"{quantity.name} of {model.name} is 0: it has nothing of the kind")
    arranging = Arranging.of(found, trees.ledger, quantity.kind == "literal")
    steps = _general(found, count, arranging, quantity.symbol)
    present = {s.name for s in count.plain().free_symbols}
    chosen = choose(model, values, assume, present)
    further, used = _assumed(count, chosen, steps[-1].after, arranging, quantity.symbol)
    steps += further
    numbers = wanted.numbers(last_exact(steps, quantity.symbol), values)
    return QuantityDerivation(
        model, quantity, run, found, tuple(steps), tuple(used),
        {n: v for n, v in values.items() if n not in resolution.missing}, resolution.missing,
        {n: why for n, why in assumed.items() if n in present}, wanted.windows(regime), numbers,
        detail)


def _general(found: Sequence[Portion], count: Count, arranging: Arranging,
             whole: str) -> list[Step]:
    """Take apart, join what each component adds, put it together, collect."""
    steps: list[Step] = []
    lines = [listed(p, count) for p in found]
    joined = [Step("join", p.symbol, before, positive_first(arrange.joined(before)), RULES["join"])
              for p, before in zip(found, lines, strict=True)]
    if len(found) > 1:
        first, together = apart(found, count), summed(found, count)
        steps = [Step("take-apart", whole, first, first, RULES["take-apart"]), *joined,
                 Step("sum", whole, first, together, RULES["sum"])]
    else:
        steps = joined
    collected = arranging.line(count, {})
    if collected.expr != steps[-1].after.expr:
        steps.append(Step("collect", whole, steps[-1].after, collected, RULES["collect"]))
    return steps


def _assumed(count: Count, chosen: Iterable[Assumption], line: Line, arranging: Arranging,
             whole: str) -> tuple[list[Step], list[Assumption]]:
    """One step for each equation that the formula depends on.

    One that nobody asked for is left out where it would put a dim below a line: n_kv·d_head stays
    as it is for grouped queries, and does not become d_model·n_kv/n_heads.
    """
    steps, used, state = list[Step](), list[Assumption](), State(count, {})
    for assumption in chosen:
        eq = assumption.equation
        if symbol(eq.dim) not in state.count.plain().free_symbols:
            continue
        refuse_swelling(state.count, eq)
        further = state.under(eq)
        if eq.standing is not Standing.ASSUMED and _below(further) - _below(state):
            continue
        state = further
        after = arranging.line(state.count, state.given)
        steps.append(Step("assume", whole, line, after, eq.reason, eq,
                          holds_here=assumption.holds_here))
        line = after
        used.append(assumption)
    return steps, used


def _below(state: State) -> set[Any]:
    """What a formula divides by."""
    return {base for monomial in monomials(state.count.plain()) for base, e in monomial if e < 0}
