"""What is explored of a model: its numbers, its relations and its quantities over trees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from functools import cached_property

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.derivation.plan import Derivation, derive
from symparam.dims import TOTAL
from symparam.errors import BadValue, NotDerivable
from symparam.explore.reference import Reference, reference_of
from symparam.ledger import Ledger
from symparam.model import Model
from symparam.quantities import find
from symparam.quantities.cost import run_of
from symparam.quantities.counts import has_experts
from symparam.quantities.quantity import Quantity, Share, Subject
from symparam.quantities.setting import Setting
from symparam.resolve import Resolution, numbers, resolve
from symparam.run import RUN
from symparam.sight import Picture

#: What is asked of every model that has it; in place of what is not defined for one, another.
USUAL = (TOTAL.name, "active", "kv_per_token", "kv_cache", "state", "flops_per_token")
INSTEAD = {"flops_per_token": "flops"}


@dataclass(frozen=True)
class Answer:
    """A quantity of the model: over trees, and at its own numbers.

    Attributes:
        quantity: which one.
        shares: what it is the sum of, factors as they are written; windows as ``min(s, window)``.
        value: the exact number at the model's own numbers.
    """

    quantity: Quantity
    shares: tuple[Share, ...]
    value: ex.Rational


@dataclass(frozen=True)
class Explored:
    """A model with everything that is needed to count it anew with other numbers.

    Attributes:
        model: the model; all its dims have numbers.
        setting: formats and ways to count, and what it is run with where somebody said so.
        answers: the quantities.
        reference: how the model is asked for on a command line.
        config: the keys of its configuration, where it was read from one.
    """

    model: Model
    setting: Setting
    answers: tuple[Answer, ...]
    reference: Reference = field(default_factory=Reference)
    config: Mapping[str, object] = field(default_factory=dict)

    @cached_property
    def at_work(self) -> Setting:
        """The setting with all numbers that the model is run with."""
        return run_of(self.model, self.setting)[0]

    @cached_property
    def resolution(self) -> Resolution:
        """The numbers of all dims, those of its windows and its work among them."""
        return resolve(self.model, (*self.model.dims_at_work, *RUN))

    @cached_property
    def ledger(self) -> Ledger:
        """The lists over trees."""
        return subject(self.model, self.setting).ledger

    @cached_property
    def run(self) -> dict[str, int]:
        """What it is run with, as far as one of the quantities asks for it."""
        needs = {need for answer in self.answers for need in answer.quantity.needs}
        return {name: int(self.at_work.run[name]) for name in RUN
                if name in needs and name in self.at_work.run}

    @cached_property
    def names(self) -> frozenset[str]:
        """The dims that can be given: those that the model needs, what the rules for these start
        from, what a check looks at, and what says how long a sequence is."""
        looked_at = {name for check in self.model.all_checks() for name in check.dims}
        starts = {each.value for name in self.run for each in RUN[name].defaults
                  if isinstance(each.value, str)}
        return frozenset({*self.model.names, *looked_at, *starts, *self.run})

    @cached_property
    def derivation(self) -> Derivation | None:
        """How the number of parameters is derived; None where it is no polynomial."""
        try:
            return derive(self.model)
        except NotDerivable:
            return None


def explore(model: Model, setting: Setting | None = None, quantities: Iterable[str] = (), *,
            reference: Reference | None = None,
            config: Mapping[str, object] | None = None) -> Explored:
    """A model as data that can be counted with other numbers.

    Args:
        model: the model.
        setting: formats and ways to count.
        quantities: further quantities besides the usual ones, by name.
        reference: how the model is asked for on a command line; found for one of the catalogue.
        config: the keys of its configuration.

    Raises:
        MissingDims: a dim has no number. BadValue: a quantity that was named is not defined here.

    >>> from symparam.descriptions.load import load
    >>> found = explore(load("mistral-7b"))
    >>> [answer.quantity.name for answer in found.answers]
    ['P', 'kv_per_token', 'kv_cache', 'state', 'flops_per_token']
    >>> str(ex.product_of(*map(ex.node, found.answers[2].shares[0].factors)))
    '2*b*L*n_kv*d_head*min(s, window)'
    """
    if model.picture is not None:
        model = replace(model, picture=Picture(
            unset="brings a picture to its size by procedures, which the page has not"))
    numbers(model)
    setting, answers = setting or Setting(), dict[str, Answer]()
    for name in dict.fromkeys((*USUAL, *quantities)):
        asked = name in set(quantities)
        found = _answer(model, setting, name, asked)
        if found is None and name in INSTEAD:
            found = _answer(model, setting, INSTEAD[name], asked)
        if found is not None:
            answers.setdefault(found.quantity.name, found)
    return Explored(model, setting, tuple(answers.values()), reference or reference_of(model),
                    config or {})


def _answer(model: Model, setting: Setting, name: str, asked: bool) -> Answer | None:
    """A quantity over trees and as a number; None where it is not defined and nobody asked."""
    quantity = find(name)
    if name == "active" and not asked and not has_experts(model.ledger(numbers(model).values)):
        return None
    try:
        run = run_of(model, setting)[0] if quantity.at_work else setting
        value = quantity.of(model, run)
        over = subject(model, setting, quantity.at_work)
        quantity.check(over)
        shares = tuple(each for each in quantity.shares(over) if ex.node(each.value) != ex.Num(0))
    except (BadValue, NotDerivable):
        if asked:
            raise
        return None
    return Answer(quantity, shares, value)


def subject(model: Model, setting: Setting, at_work: bool = True) -> Subject:
    """The model over trees, the smaller of two written down."""
    run = run_of(model, setting)[0] if at_work else setting
    found = Subject.over(model, ex.Sym, "written", run, at_work)
    return replace(found, setting=replace(found.setting, regime="written"))
