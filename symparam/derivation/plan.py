"""The plan of a derivation: take apart, list, join, sum, assume, collect, put numbers in, check.

One plan for every quantity, the number of parameters among them. It is proved share by share; the
number at its end is worked out once more from the lists over integers, which know nothing of the
formula.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from symparam import expression as ex
from symparam.count import Count
from symparam.dataclass import dataclass
from symparam.derivation import arrange, substeps
from symparam.derivation.assumptions import (
    Assumption,
    choose,
    introduced,
    read_assumptions,
)
from symparam.derivation.at_numbers import Bound, Numbers, Wanted, wanted
from symparam.derivation.constrain import Constrained, constrained
from symparam.derivation.conventions import Convention, conventions
from symparam.derivation.leading import (
    Dropped,
    Leading,
    is_tied,
    leading_term,
    refuse_untied,
)
from symparam.derivation.parts import Part, parts
from symparam.derivation.step import Line, Step
from symparam.derivation.whole import Arranging
from symparam.dims import TOTAL, order_key
from symparam.errors import FalseStep, NotDerivable, UnknownName
from symparam.layout import Tensor
from symparam.ledger import Ledger
from symparam.model import Model
from symparam.quantities import find
from symparam.quantities.quantity import Quantity
from symparam.quantities.setting import Setting
from symparam.resolve import Resolution

#: How much a derivation shows.
DETAILS = ("brief", "full", "appendix")

#: What each rule does, as a reader is told: of parameters, and of any other quantity.
RULES = {
    "take-apart": "the model is its parts, and a part's parameters are those of its matrices",
    "join": "each matrix holds rows times columns; equal terms are taken together",
    "sum": "the parts are put back, each layer counted",
    "front": "what all terms share stands in front",
    "collect": "terms are collected by powers of {symbol}",
}
_OTHERS = {"take-apart": "the whole is what its components add",
           "join": "each entry is the product of its factors; equal terms are taken together"}


@dataclass(frozen=True)
class Derivation:
    """A derivation of a quantity of a model.

    Attributes:
        model: of which model.
        quantity: what is derived.
        setting: formats, ratios and ways to count that it is derived under.
        resolution: numbers of dims and of what the model is run with, as far as there are any.
        parts: what the symbols of the first line stand for.
        ledger: the model's lists, shapes as written.
        steps: the lines, each proved.
        assumptions: the equations used.
        assumed: what the model is run with that nobody gave, with why it is so.
        windows: the windows that the formula depends on, and where a sequence stands to each.
        dropped: what a leading term leaves out; sums to the last number where there are any.
        numbers: the numbers put in; None while a dim has no number.
        tensors: of a count of parameters, the tensors of a checkpoint, which the check line
            multiplies out one by one.
        detail: brief, full with steps inside steps, or appendix: what a paper prints of it.
        conventions: of the number of parameters, what else is called so.
        leading: the symbol of which only the highest power is kept, if one.
        total: of another quantity, the derivation of the ``P`` that its formula has, if it has it.
        assume: the equations that were asked for, as they were written.
    """

    model: Model
    quantity: Quantity
    setting: Setting
    resolution: Resolution
    parts: tuple[Part, ...]
    ledger: Ledger
    steps: tuple[Step, ...]
    assumptions: tuple[Assumption, ...]
    assumed: Mapping[str, str] = field(default_factory=dict)
    windows: tuple[Bound, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    numbers: Numbers | None = None
    tensors: tuple[Tensor, ...] = ()
    detail: str = "brief"
    conventions: tuple[Convention, ...] = ()
    leading: str | None = None
    total: Derivation | None = None
    assume: tuple[str, ...] = ()

    @property
    def symbol(self) -> str:
        """What stands for the whole."""
        return self.quantity.symbol

    @property
    def of_parameters(self) -> bool:
        """Whether it is of the number of parameters itself."""
        return self.quantity.name == TOTAL.name

    @property
    def values(self) -> Mapping[str, int]:
        """The numbers that it has."""
        return self.resolution.values

    @property
    def missing(self) -> tuple[str, ...]:
        """The dims without a number."""
        return self.resolution.missing

    @property
    def formula(self) -> ex.Expr:
        """The right side of the last line."""
        return self.steps[-1].after.expr

    @property
    def exact(self) -> Line:
        """The last line of the whole that holds for the model's numbers."""
        return last_exact(self.steps, self.symbol)

    @property
    def value(self) -> ex.Rational | None:
        """The exact value, where all dims have numbers."""
        return self.numbers.result if self.numbers else None

    def symbols(self) -> list[str]:
        """The dims that the derivation uses."""
        names = [n for step in self.steps for line in (step.before, step.after)
                 for n in line.symbols()]
        names += [n for c in self.conventions for n in ex.symbols_in(c.term.shown)]
        own = {self.symbol, *(part.symbol for part in self.parts),
               *(c.symbol for c in self.conventions)}
        return sorted(set(names) - own, key=order_key)


def derive(model: Model, assume: Sequence[str] = (), leading: str | None = None,
           detail: str = "brief", *, quantity: str = TOTAL.name,
           setting: Setting | None = None) -> Derivation:
    """Derive a quantity of a model: the number of its parameters, unless another is named.

    Args:
        model: an architecture, with or without numbers; ``s``, ``b`` and what else says how it
            is run may be among them.
        assume: equations to use besides or instead of the defaults; ``none`` drops those.
        leading: keep only the highest power of this symbol.
        detail: ``brief``, ``full`` with the steps inside each step, or ``appendix``. All end alike.
        quantity: its name (:func:`symparam.quantities.everything`).
        setting: formats, ratios and ways to count.

    Raises:
        UnknownName: no such quantity or detail. BadValue: the model lacks what it counts.
        NotDerivable: it is 0 here; a sequence stands between two windows; numbers round where the
            formula does not; an assumption the numbers are far from; or a leading term that is
            not defined because widths are still independent of each other.

    >>> from symparam.descriptions.decoder import plain_decoder
    >>> str(derive(plain_decoder(), leading="d_model").formula)
    '12*L*d_model**2'
    >>> from symparam.descriptions.load import load
    >>> print(derive(load("llama-2-70b"), quantity="kv_per_token").formula)
    4*L*n_kv*d_head
    """
    if detail not in DETAILS:
        raise UnknownName("detail", detail, DETAILS)
    asked = wanted(model, find(quantity), setting or Setting())
    asked.resolution.values.update(introduced(assume, model, asked.resolution.values))
    found = parts(model, asked.symbol, asked.quantity.shares(asked.trees), asked.trees.ledger)
    if not found or asked.count.plain() == 0:
        raise NotDerivable(asked.nothing)
    steps, under = _exact(asked, found, assume, detail == "full")
    numbers = asked.numbers(last_exact(steps, asked.symbol))
    tail = Leading((), ()) if leading is None else _leading(asked, under, steps, leading, numbers)
    return _whole(asked, found, under, (*steps, *tail.steps), numbers, assume, detail=detail,
                  leading=leading, dropped=tail.dropped)


def _exact(asked: Wanted, found: list[Part], assume: Sequence[str],
           full: bool) -> tuple[list[Step], Constrained]:
    """The steps that leave nothing out, and what the equations made of the parts."""
    arranging = Arranging(found, asked.quantity.at_work)
    steps = _general(asked, arranging, asked.count, full)
    chosen = choose(asked.model, asked.resolution.values, assume, asked.present)
    under = constrained(arranging, asked.symbol, asked.count, chosen, steps[-1].after, full)
    steps += under.steps
    return [*steps, *_collected(asked, found, under, steps[-1].after, full)], under


def _whole(asked: Wanted, found: list[Part], under: Constrained, steps: tuple[Step, ...],
           numbers: Numbers | None, assume: Sequence[str], **said: Any) -> Derivation:
    """The derivation with what stands beside its steps."""
    ledger, model = asked.trees.ledger, asked.model
    others = conventions(model, found, ledger, under.exact,
                         asked.here.ledger if numbers else None) if asked.of_parameters else ()
    assumed = {name: why for name, why in asked.assumed.items() if name in asked.present}
    return Derivation(model, asked.quantity, asked.run, asked.resolution, tuple(found), ledger,
                      steps, tuple(under.used), assumed, asked.windows(), numbers=numbers,
                      tensors=_tensors(asked, numbers), conventions=others,
                      total=_total(asked, assume), assume=tuple(assume), **said)


def _total(asked: Wanted, assume: Sequence[str]) -> Derivation | None:
    """The number of parameters, where it stands in the formula of another quantity: derived under
    the same equations, as far as they are about its dims."""
    if asked.of_parameters or TOTAL.name not in asked.present:
        return None
    present = wanted(asked.model, find(TOTAL.name), asked.run).present
    return derive(asked.model, [text for text in assume if all(
        eq.dim in present for eq in read_assumptions([text], asked.model.dims)[1])])


def _general(asked: Wanted, arranging: Arranging, count: Count, full: bool) -> list[Step]:
    """Take apart, list and join each part, put back together; what they share in front."""
    found, whole = arranging.found, asked.symbol
    rules = RULES if asked.of_parameters else {**RULES, **_OTHERS}
    steps: list[Step] = []
    for part in found:
        before = arrange.listed(part, count)
        steps.append(Step("join", part.symbol, before, arrange.joined(before), rules["join"]))
    after, stacked = steps[-1].after, None
    if found[0].symbol != whole:
        apart, joined = arrange.taken_apart(found, count), [step.after for step in steps]
        after = arrange.by_stack(found, count)
        inner = substeps.put_in(whole, found, joined, apart, after) if full else ()
        stacked = after
        steps = [Step("take-apart", whole, apart, apart, rules["take-apart"]), *steps,
                 Step("sum", whole, apart, after, rules["sum"], substeps=inner)]
    front = arranging.line(count, {}, stacked)
    if front.expr != after.expr:
        steps.append(Step("front", whole, after, front, rules["front"]))
    return steps


def _collected(asked: Wanted, found: list[Part], under: Constrained, line: Line,
               full: bool) -> list[Step]:
    """The step that collects parameters by powers of the width, where every width follows from
    it."""
    if asked.quantity.at_work or not is_tied(asked.model, under.last.count, "d_model", under.used):
        return []
    collected = arrange.by_power(under.last.count, "d_model", arrange.kinds(asked.trees.ledger))
    if collected.expr == line.expr:
        return []
    return [Step("collect", asked.symbol, line, collected,
                 RULES["collect"].format(symbol="d_model"),
                 substeps=substeps.by_group(asked.symbol, found, collected) if full else ())]


def _leading(asked: Wanted, under: Constrained, steps: Sequence[Step], leading: str,
             numbers: Numbers | None) -> Leading:
    """The step to the highest power of a symbol."""
    values = asked.resolution.values
    refuse_untied(asked.model, under.last.count, leading, values, under.used)
    line = arrange.by_power(under.last.count, leading, arrange.kinds(asked.trees.ledger))
    return leading_term(asked.symbol, steps, line, leading, values,
                        numbers.result if numbers else None)


def last_exact(steps: Sequence[Step], whole: str = TOTAL.name) -> Line:
    """The last line of the whole that holds for the model's numbers."""
    exact = steps[0].before
    for step in steps:
        if step.subject == whole:
            if step.holds_here == "nearly" or step.relation != "=":
                break
            exact = step.after
    return exact


def _tensors(asked: Wanted, numbers: Numbers | None) -> tuple[Tensor, ...]:
    """The tensors of a checkpoint, which hold as many numbers as there are parameters."""
    if not asked.of_parameters or numbers is None:
        return ()
    tensors = tuple(asked.model.layout.tensors(asked.here.ledger))
    held = sum(tensor.numel for tensor in tensors)
    if numbers.result != held:
        raise FalseStep(f"the tensors sum to {numbers.result}", str(held - numbers.result))
    return tensors
