"""What a model costs: every quantity that a question about it usually needs, together.

Nothing is counted here; each number is a :class:`~symparam.quantities.quantity.Quantity`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from symparam.constraints import Equation
from symparam.dataclass import dataclass
from symparam.errors import BadValue, SymparamError, UnknownName
from symparam.ledger import Number, State
from symparam.model import Model
from symparam.quantities import activations, find, flops, kv_cache, training, training_memory
from symparam.quantities.data import Data, data_of
from symparam.quantities.devices import DEVICES, Device, Fit, amount
from symparam.quantities.formats import FORMATS
from symparam.quantities.pictures import IMAGE_TOKENS, Pictures, of_pictures
from symparam.quantities.quantity import Quantity, Subject
from symparam.quantities.setting import Attention, Setting
from symparam.renamed import moved
from symparam.resolve import resolve
from symparam.run import RUN, beyond, completed

__getattr__ = moved(__name__)  # (``setting_of`` is in symparam.quantities.plain)

#: The parts of an answer, in the order in which they are shown.
SECTIONS = ("weights", "cache", "flops", "pictures", "training", "memory", "activations", "data",
            "fit")
#: Those that hang on what a model does with its weights.
AT_WORK = ("cache", "flops", "pictures", "training", "activations")
#: How training is counted where nobody asks for another way: as a forward pass is.
USUAL_CONVENTIONS: dict[Attention, str] = {"full": "full", "causal": "causal",
                                           "all-pairs": "all_pairs"}


@dataclass(frozen=True)
class Counted:
    """A quantity with its value; or why it has none here."""

    quantity: Quantity
    value: Number | None
    why_not: str = ""


@dataclass(frozen=True)
class CacheRow:
    """What one component keeps.

    Attributes:
        path: of the state.
        what: in words.
        layers: how many keep it.
        each: numbers in one layer, of one token, or of one sequence where ``per`` says so.
        per: ``token``, ``sequence`` or ``encoder``.
        window: tokens that are kept at most; None for all.
        every: tokens that one entry stands for.
        value: bytes of the whole batch.
    """

    path: str
    what: str
    layers: Number
    each: Number
    per: str
    window: Number | None
    every: Number
    value: Number


@dataclass(frozen=True)
class WorkRow:
    """What one component multiplies in a forward pass of the batch."""

    path: str
    weights: Number
    products: Number

    @property
    def value(self) -> Number:
        """Both together."""
        return self.weights + self.products


@dataclass(frozen=True)
class Cost:
    """What a model costs.

    Attributes:
        model: which one.
        subject: its numbers, and what it is run with.
        assumed: what was not said, with why it is so.
        rules: dims that follow, each with its rule.
        sections: which parts are asked for.
        conventions: how training is counted; the first is the one that was asked for.
        device: on which it is to fit.
    """

    model: Model
    subject: Subject
    assumed: Mapping[str, str]
    rules: Mapping[str, Equation]
    sections: tuple[str, ...]
    conventions: tuple[Quantity, ...]
    device: Device | None = None

    @property
    def needs(self) -> set[str]:
        """What it depends on of what a model is run with, and of a setting."""
        return _needs(self.sections, self.conventions)

    def value(self, name: str, **setting: Any) -> Number:
        """A quantity, with parts of the setting changed."""
        changed = replace(self.subject.setting, **setting)
        return find(name).value(replace(self.subject, setting=changed))

    @cached_property
    def parameters(self) -> int:
        """Every parameter, tied ones once."""
        return int(self.subject.ledger.total())

    @property
    def beyond(self) -> tuple[str, ...]:
        """A word on what it is run with that is more than it has places for."""
        return tuple(map(": ".join, beyond({**self.subject.dims, **self.subject.setting.run}
                                           ).items()))

    def weights(self) -> dict[str, Number]:
        """Bytes of the weights in each format; with scales where groups were asked for and the
        format has any."""
        return {name: self.value("weights", weights=form) for name, form in FORMATS.items()}

    def cache(self) -> list[CacheRow]:
        """What each state keeps, in the order of the layers."""
        stored = dict(kv_cache.cache(self.subject))
        return [self._cache_row(state, stored) for state in self.subject.ledger.at_work().states]

    def _cache_row(self, state: State, stored: Mapping[str, tuple[Number, ...]]) -> CacheRow:
        value: Number = 1
        for factor in stored[state.path]:
            value = value * factor
        return CacheRow(state.path, state.what, state.copies(), state.numel(), state.stream,
                        state.window, state.every, _plain(value))

    def work(self) -> list[WorkRow]:
        """A forward pass component by component; the rows sum to the whole."""
        found: dict[str, list[Number]] = {}
        for kind, shares in enumerate((flops.of_weights, flops.of_products)):
            for share in shares(self.subject):
                component = share.path.rpartition(".")[0]
                found.setdefault(component, [0, 0])[kind] += share.value
        return [WorkRow(path, *map(_plain, both)) for path, both in found.items() if sum(both)]

    def pictures(self) -> Pictures:
        """What pictures take of the language model."""
        return of_pictures(self.subject)

    def training(self) -> list[Counted]:
        """FLOPs of training a token by the conventions; a run's where its tokens are known."""
        return list(self._counted(self.conventions))

    @property
    def counts_otherwise(self) -> bool:
        """Whether a convention for training counts other pairs than the forward pass, or none."""
        own = f"train_{USUAL_CONVENTIONS[self.subject.setting.attention]}"
        return "flops" in self.sections and any(c.name != own for c in self.conventions)

    def memory(self) -> list[Counted]:
        """Bytes of weights, gradients and optimiser."""
        return list(self._counted(training_memory.QUANTITIES))

    def activations(self) -> list[Counted]:
        """Bytes of activations, by Korthikanti's cases."""
        return list(self._counted(activations.QUANTITIES))

    def _counted(self, quantities: tuple[Quantity, ...]) -> Iterator[Counted]:
        for quantity in quantities:
            try:
                yield Counted(quantity, quantity.value(self.subject))
            except SymparamError as error:
                yield Counted(quantity, None, getattr(error, "problem", str(error)))

    def data(self) -> Data:
        """Tokens, text and disk."""
        return data_of(self.parameters, self.subject.setting.data)

    def fits(self) -> list[Fit]:
        """Whether weights, weights with cache, and training fit on the device."""
        if self.device is None:
            return []
        weights = self.value("weights")
        found = [Fit(self.device, weights, "weights")]
        if self.subject.ledger.states:
            found.append(Fit(self.device, weights + self.value("kv_cache"), "weights and cache"))
        kept = self.subject.setting.training_bytes
        name = "training_memory_zero_1" if self.subject.setting["n_devices"] != 1 else (
            f"training_memory_{kept}")
        found.append(Fit(self.device, self.value(name), "training, without activations"))
        return found


def _plain(value: Number) -> Number:
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


@dataclass(frozen=True, kw_only=True)
class Asked:
    """How a cost was asked for, besides the dims of the model.

    Attributes:
        setting: formats, bytes a parameter, data; tokens and sequences come from the dims.
        sections: parts of the answer; empty for all that there is something to say in.
        convention: a way of counting training, or ``all``; None for that which counts attention
            as the forward pass does.
        device: a name, or a number of bytes.
    """

    setting: Setting = field(default_factory=Setting)
    sections: tuple[str, ...] = ()
    convention: str | None = None
    device: str | int | None = None


def cost_of(model: Model, asked: Asked | None = None) -> Cost:
    """What a model costs.

    Args:
        model: all of whose dims have numbers; ``s``, ``b`` and what else says how it is run may
            be among them.
        asked: how it is asked for.

    Raises:
        MissingDims: a dim has no number. UnknownName: no such section, convention or device.

    >>> from symparam.descriptions.load import load
    >>> cost_of(load("llama-2-7b")).value("kv_per_token")
    524288
    """
    asked = asked or Asked()
    for section in asked.sections:
        if section not in SECTIONS:
            raise UnknownName("section", section, SECTIONS)
    setting, assumed, rules = run_of(model, asked.setting)
    device = None if asked.device is None else device_of(asked.device)
    if "fit" in asked.sections and device is None:
        raise BadValue("device", "not given", "say on what it is to fit")
    subject = Subject.of(model, setting)
    if set(asked.sections) & set(AT_WORK):
        subject.ledger.at_work()
    known = [s for s in SECTIONS if not (subject.ledger.unset and s in AT_WORK)
             and (s != "pictures" or subject.ledger.pictures)]
    sections = asked.sections or tuple(s for s in known if s != "fit" or device)
    conventions = _conventions(asked.convention or USUAL_CONVENTIONS[setting.attention])
    needs = _needs(sections, conventions)
    return Cost(model, subject, {name: why for name, why in assumed.items() if name in needs},
                rules, sections, conventions, device)


def _needs(sections: Iterable[str], conventions: Iterable[Quantity]) -> set[str]:
    """What the quantities of some sections are run with; tokens and sequences stand above all."""
    shown: dict[str, Iterable[Quantity]] = {
        "pictures": (IMAGE_TOKENS,),
        "training": conventions, "memory": training_memory.QUANTITIES,
        "activations": activations.QUANTITIES}
    found = {"s", "b", "s_encoder"} | ({"n_devices"} if "fit" in sections else set())
    return found.union(*(each.needs for name in sections for each in shown.get(name, ())))


def run_of(model: Model, setting: Setting) -> tuple[Setting, dict[str, str], dict[str, Equation]]:
    """The setting with the numbers that the model's dims give it, what was taken where nobody
    said, with why, and rules."""
    found = resolve(model, (*model.dims_at_work, *RUN))
    numbers, taken = completed({**setting.run, **found.values}, model.encodes)
    return setting.at(**numbers), {name: each.why for name, each in taken.items()}, {
        name: rule for name, rule in found.rules.items() if name in RUN}


def _conventions(name: str) -> tuple[Quantity, ...]:
    """One way of counting training, or all."""
    if name == "all":
        return training.CONVENTIONS
    by_name = {each.name.removeprefix("train_"): each for each in training.CONVENTIONS}
    if name.removeprefix("train_") not in by_name:
        raise UnknownName("convention", name, ("all", *by_name))
    return (by_name[name.removeprefix("train_")],)


def device_of(given: str | int) -> Device:
    """A device by its name, or by its bytes.

    Raises:
        UnknownName: no such device. BadValue: a number of bytes that is none.

    >>> device_of("rtx-4090").memory
    24000000000
    """
    if isinstance(given, str):
        if given.lower() not in DEVICES:
            raise UnknownName("device", given, DEVICES, "or a number of bytes: 24GB, 80GiB; known: "
                              + ", ".join(DEVICES))
        return DEVICES[given.lower()]
    return Device("a device", amount(given))
