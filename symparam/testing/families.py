"""Does a family read its configurations as every family has to?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from symparam.checkpoints.expected import expected
from symparam.descriptions.config import Config, built
from symparam.descriptions.contract import unmatched
from symparam.errors import SpecError, SymparamError
from symparam.model import Model
from symparam.quantities.counts import value
from symparam.resolve import numbers
from symparam.testing.agreement import disagreements, refuse

#: A key that no configuration has.
UNKNOWN = "a_key_that_nobody_has"


def assert_family(module: ModuleType, *configurations: Mapping[str, Any]) -> None:
    """Assert what is asked of a family, at configurations of it.

    It has ``MODEL_TYPES``, a tuple of texts, and ``build``. Each configuration makes a model whose
    count over integers, whose formula there and whose tensors in a checkpoint agree, no two of
    them with one name; with one more key, which nobody knows, each is refused. Every entry of the
    layouts is for a matrix that a component of one of the models has a name for. Whether the
    tensors are those of the model itself no such test can know: hold them against a module with
    :func:`assert_matches`.

    Args:
        module: the family.
        *configurations: what its ``config.json`` may hold; together they should turn on
            everything that it reads.

    Raises:
        AssertionError: it does not hold; the message says what, and for which configuration.

    >>> from symparam.descriptions.families import gpt2
    >>> assert_family(gpt2, {"model_type": "gpt2", "n_layer": 2}, {"model_type": "gpt2",
    ...     "n_embd": 30, "n_head": 3, "architectures": ["GPT2Model"]})
    """
    refuse(f"family {module.__name__}", _problems(module, configurations))


def _problems(module: ModuleType, configurations: tuple[Mapping[str, Any], ...]) -> Iterator[str]:
    types = getattr(module, "MODEL_TYPES", None)
    if not isinstance(types, tuple) or not all(isinstance(each, str) for each in types):
        yield "it has no MODEL_TYPES, a tuple of texts"
        return
    if not callable(getattr(module, "build", None)):
        yield "it has no build(config, name)"
        return
    if not configurations:
        yield "no configuration is given to try it at"
    found: list[Model] = []
    for number, data in enumerate(configurations, 1):
        where = f"configuration {number}"
        if data.get("model_type") not in types:
            yield f"{where}: model_type is to be one of {', '.join(types)}"
            continue
        try:
            found.append(_read(module, data))
            yield from (f"{where}: {problem}" for problem in _of_model(found[-1]))
        except SymparamError as error:
            yield f"{where}: {error}"
            continue
        if _accepts(module, {**data, UNKNOWN: 3}):
            yield f"{where}: a key that nobody knows is accepted ({UNKNOWN})"
    yield from _for_nothing(found)


def _of_model(model: Model) -> Iterator[str]:
    """Where the views of a model differ, its tensors by their whole names among them."""
    values = numbers(model).values
    yield from disagreements(model, values)
    listed = sum(map(math.prod, expected(model)[0].tensors.values()))
    if listed < (held := value(model.ledger(values), "with_buffers")):
        yield f"some of its tensors have one name: by their names they hold {listed} of {held}"


def _read(module: ModuleType, data: Mapping[str, Any]) -> Model:
    return built(Config("", dict(data)), module, str(data["model_type"]))


def _accepts(module: ModuleType, data: Mapping[str, Any]) -> bool:
    try:
        _read(module, data)
    except SpecError:
        return False
    return True


def _for_nothing(models: list[Model]) -> Iterator[str]:
    """The entries that are for nothing in any model that has them."""
    idle = [set(unmatched(model)) for model in models]
    used = {(each, name) for model, left in zip(models, idle, strict=True)
            for each in model.layout.entries for name in each.matrices if (each, name) not in left}
    for each, name in dict.fromkeys(pair for left in idle for pair in left):
        if (each, name) not in used:
            yield f"entry({each.component!r}, {name!r}, ...) is for nothing in any configuration"
