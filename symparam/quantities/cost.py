"""What a model costs: every quantity that a question about it usually needs, together.

Nothing is counted here; each number is a :class:`~symparam.quantities.quantity.Quantity`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, get_args

from symparam.constraints import Equation
from symparam.errors import BadValue, SymparamError, UnknownName
from symparam.ledger import Number, State
from symparam.model import Model
from symparam.quantities import activations, find, flops, kv_cache, training, training_memory
from symparam.quantities.data import Data, data_of
from symparam.quantities.devices import DEVICES, Device, Fit, amount
from symparam.quantities.formats import FORMATS, Groups, number_format
from symparam.quantities.inputs import USUAL, DataInputs
from symparam.quantities.quantity import Quantity, Subject
from symparam.quantities.setting import Attention, Setting
from symparam.quantities.training_memory import scheme
from symparam.resolve import resolve

#: The parts of an answer, in the order in which they are shown.
SECTIONS = ("weights", "cache", "flops", "training", "memory", "activations", "data", "fit")
#: What a sequence is taken as where nobody says, and the model has no table of positions.
USUAL_TOKENS = 4096
#: Dims that say what a model is run with, and the part of a setting that each is.
RUN = {"s": "tokens", "b": "batch", "s_encoder": "encoder_tokens", "D": "training_tokens",
       "n_devices": "devices", "t": "tensor_parallel"}
#: The way of counting that is shown where nobody asks for another.
USUAL_CONVENTION = "causal"


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

    def value(self, name: str, **setting: Any) -> Number:
        """A quantity, with parts of the setting changed."""
        return find(name).value(self._under(**setting))

    def _under(self, **setting: Any) -> Subject:
        return replace(self.subject, setting=replace(self.subject.setting, **setting))

    @cached_property
    def parameters(self) -> int:
        """Every parameter, tied ones once."""
        return int(self.subject.ledger.total())

    def weights(self) -> dict[str, Number]:
        """Bytes of the weights in each format; with scales where groups were asked for and the
        format has any."""
        return {name: self.value("weights", weights=form) for name, form in FORMATS.items()}

    def cache(self) -> list[CacheRow]:
        """What each state keeps, in the order of the layers."""
        stored = dict(kv_cache.cache(self.subject))
        return [self._cache_row(state, stored) for state in self.subject.ledger.states]

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

    def training(self) -> list[Counted]:
        """FLOPs of training a token by the conventions; a run's where its tokens are known."""
        return list(self._counted(self.conventions))

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
        name = "training_memory_zero_1" if self.subject.setting.devices != 1 else (
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
        convention: a way of counting training, or ``all``.
        device: a name, or a number of bytes.
    """

    setting: Setting = field(default_factory=Setting)
    sections: tuple[str, ...] = ()
    convention: str = USUAL_CONVENTION
    device: str | int | None = None


def cost_of(model: Model, asked: Asked | None = None) -> Cost:
    """What a model costs.

    Args:
        model: all of whose dims have numbers; ``s``, ``b`` and what else says how it is run may
            be among them.
        asked: how it is asked for.

    Raises:
        MissingDims: a dim has no number. UnknownName: no such section, convention or device.

    >>> from symparam.spec.load import load
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
    sections = asked.sections or tuple(s for s in SECTIONS if s != "fit" or device)
    return Cost(model, subject, assumed, rules, sections, _conventions(asked.convention), device)


def run_of(model: Model, setting: Setting) -> tuple[Setting, dict[str, str], dict[str, Equation]]:
    """The setting with the numbers that the model's dims give it, what was assumed, and rules."""
    found = resolve(model, (*model.dims_at_work, *RUN))
    given: dict[str, Any] = {part: found.values[name] for name, part in RUN.items()
                             if name in found.values}
    assumed: dict[str, str] = {}
    if "tokens" not in given:
        rows = found.values.get("n_ctx")
        given["tokens"] = rows or USUAL_TOKENS
        assumed["s"] = "as many as there are positions" if rows else "nobody said"
    encoder = any(stack.stream == "encoder" for stack in model.stacks) or any(
        slot.component.slot == "cross-attention" for _, slot in model.slots())
    if encoder and "encoder_tokens" not in given:
        rows = found.values.get("n_ctx_encoder")
        given["encoder_tokens"] = rows or given["tokens"]
        assumed["s_encoder"] = "as many as there are positions" if rows else "as many as s"
    if "batch" not in given:
        assumed["b"] = "one sequence"
    return replace(setting, **given), assumed, {
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


def setting_of(*, dtype: str = "bf16", kv_dtype: str = "bf16", group: int | None = None,
               attention: str = "full", train_bytes: int = 16,
               data: DataInputs | None = None) -> Setting:
    """A setting from plain values.

    Args:
        dtype, kv_dtype: how weights and the cache are stored.
        group: inputs that share a scale, for weights in int8 or int4.
        attention: ``full`` counts the pairs that a causal mask hides, ``causal`` does not.
        train_bytes: bytes a parameter in training: 12, 16, 18 or 20.
        data: what turns parameters into data.

    Raises:
        UnknownName, BadValue: a value that there is not.
    """
    if attention not in get_args(Attention):
        raise UnknownName("way to count attention", str(attention), get_args(Attention))
    scheme(train_bytes)
    stored = number_format(dtype)
    if group is not None and not stored.quantised:
        fitting = " or ".join(name for name, form in FORMATS.items() if form.quantised)
        raise BadValue("group", group, f"{dtype} has no groups of weights that share a scale: "
                       f"give the dtype {fitting} as well")
    return Setting(weights=stored, cache=number_format(kv_dtype),
                   groups=None if group is None else Groups(group),
                   attention="causal" if attention == "causal" else "full",
                   training_bytes=train_bytes, data=data or USUAL)


def setting_from(given: Mapping[str, Any] | None) -> Setting:
    """As :func:`setting_of`, from a mapping.

    Raises:
        UnknownName: a key that it does not take.

    >>> setting_from({"dtype": "int8"}).weights.bytes
    1
    """
    taken = setting_of.__kwdefaults__ or {}
    for name in given or {}:
        if name not in taken:
            raise UnknownName("part of a setting", str(name), taken)
    return setting_of(**(given or {}))
