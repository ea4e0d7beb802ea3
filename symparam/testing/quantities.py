"""Is a quantity the same over integers and symbols, and does it say what it needs?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from math import gcd
from typing import Any

from symparam.count import quantity_count
from symparam.descriptions.load import load
from symparam.dims import declare_all
from symparam.errors import ContractError, SymparamError
from symparam.ledger import Number
from symparam.model import Model
from symparam.quantities import everything
from symparam.quantities.contract import held, own, problems
from symparam.quantities.formats import FORMATS, Groups, quantised
from symparam.quantities.quantity import Quantity, Subject
from symparam.quantities.setting import PARTS, Regime, Setting
from symparam.resolve import numbers, resolve
from symparam.run import RUN, completed, register_run
from symparam.testing.agreement import alike, refuse

#: Plain, with windows, with an encoder, an encoder alone, with experts and low rank, without
#: attention, with a tower for pictures.
MODELS = ("llama-2-7b", "gemma-3-1b", "t5-base", "bert-base", "deepseek-v3", "falcon-mamba-7b",
          "qwen2.5-vl-7b")
#: Lengths of sequences on both sides of a window, with how those stand to it.
LENGTHS: tuple[tuple[Regime, int], ...] = (("within", 128), ("beyond", 65536))


def assert_quantity(quantity: Quantity, *models: Model | str) -> None:
    """Assert what is asked of a quantity, at models.

    It says what it is, in a unit that there is, and needs what there is; what it brings looks like
    no other dim in any notation. Its shares are exact, each of something that is
    listed, no two of one path; at each model their sum over integers is what the formula over
    symbols gives there, for sequences within windows and beyond them. It reads nothing of what a
    model is run with that its needs do not name, and each of its needs at one of the models at
    least. What it should count no test can know: hold that against a number of another source.

    Args:
        quantity: which one.
        *models: models, or what :func:`symparam.load` takes, with numbers for all dims; without
            any, seven published ones that differ as much as they can. One that it refuses (a
            formula of dims that are not there) is passed over, unless it refuses all.

    Raises:
        AssertionError: it does not hold; the message says what, and at which model.

    >>> from symparam.quantities import find
    >>> assert_quantity(find("kv_cache"), "gemma-3-1b", "t5-base")
    """
    refuse(f"quantity {quantity.name}", _problems(own(quantity), models or MODELS))


def _problems(quantity: Quantity, models: tuple[Model | str, ...]) -> Iterator[str]:
    found = list(problems(quantity))
    yield from found
    if found:
        return
    declare_all()
    everything()
    register_run(row for row in quantity.run if row.name not in RUN)
    yield from alike(row.dim for row in quantity.run)
    read, refusals, answered = set[str](), dict[str, None](), False
    for each in models:
        model = load(each) if isinstance(each, str) else each
        for standing, length in LENGTHS:
            setting = _setting(model, length)
            try:
                number = held(quantity).of(model, setting)
            except SymparamError as error:
                refusals[f"{model.name}: {error}"] = None
                if isinstance(error, ContractError):
                    yield f"{model.name}: {error.problem}"
                continue
            answered = True
            yield from (f"{model.name}, s = {length}: {problem}" for problem in _at(
                quantity, model, standing, setting, number))
            _listen(quantity, model, setting, read)
    if not answered:
        yield f"no model has what it counts: {'; '.join(refusals)}"
    yield from (f"needs {name}, which it reads at none of the models"
                for name in quantity.needs if answered and name not in read)


def _setting(model: Model, length: int) -> Setting:
    """A number for all that a model may be run with, and weights in groups that come out even, as
    a formula takes them."""
    given = dict.fromkeys(RUN, 2) | {"s": length, "s_encoder": 96}
    run = completed({**model.values, **given}, model.encodes)[0]
    inputs = (m.shape[-1] for m in model.ledger(numbers(model).values) if quantised(m))
    group = gcd(32, *(each for each in inputs if isinstance(each, int)))
    return Setting(run=run, weights=FORMATS["int4"], groups=Groups(group), regime="exact")


def _at(quantity: Quantity, model: Model, standing: Regime, setting: Setting,
        number: Number) -> Iterator[str]:
    """Whether the formula gives the same number at a model."""
    try:
        formula = quantity_count(model, held(quantity), standing, setting).plain()
    except (SymparamError, TypeError) as error:
        yield f"it has no formula: {error}"
        return
    values = {**resolve(model, model.dims_at_work).values, **setting.run}
    worked = formula.subs({each: values[each.name] for each in formula.free_symbols})
    if worked != number:
        yield f"its shares add up to {number}, its formula gives {worked}"


def _listen(quantity: Quantity, model: Model, setting: Setting, read: set[str]) -> None:
    """Note what a quantity reads of what a model is run with."""
    subject = Subject.of(model, _noting(setting, read), quantity.at_work)
    list(quantity.shares(subject))


class _Noted(dict[str, Any]):
    """Numbers by name, which note which of them are asked for."""

    def __init__(self, numbers: Mapping[str, Any], read: set[str]) -> None:
        super().__init__(numbers)
        self.read = read

    def __getitem__(self, name: str) -> Any:
        self.read.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        """The number of a name, or the default."""
        self.read.add(name)
        return super().get(name, default)


def _noting(setting: Setting, read: set[str]) -> Setting:
    """The same setting, which notes what is read of it."""
    class Noting(Setting):
        """A setting that notes what is read of it."""

        def __getattribute__(self, name: str) -> Any:
            if name in PARTS:
                read.add(name)
            return super().__getattribute__(name)

    return Noting(**{f.name: getattr(setting, f.name) for f in fields(setting)} | {
        "run": _Noted(setting.run, read)})
