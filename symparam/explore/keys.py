"""A ``config.json`` that dims can be written into: which key holds which dim, found by trying.

A key is believed to hold a dim when the configuration with another number there is read as the
model with that number for the dim: the same matrices, the same numbers of all dims.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from typing import Any

from symparam.dataclass import dataclass
from symparam.descriptions import catalogue
from symparam.descriptions.config import read_config
from symparam.descriptions.convert import convert, matrices
from symparam.descriptions.load import build
from symparam.descriptions.options import Options
from symparam.descriptions.references import published_name
from symparam.errors import SymparamError
from symparam.explore.described import step_of
from symparam.model import Model
from symparam.notation.hf_keys import HF_KEYS
from symparam.resolve import resolve
from symparam.run import RUN

#: How many other numbers of a dim must be read as that dim, where so many can be tried.
ENOUGH = 2


@dataclass(frozen=True)
class Configuration:
    """A configuration, and the places of dims in it.

    Attributes:
        data: its keys and values.
        keys: dim to its key; a key inside another one behind a point (``text_config.head_dim``).
    """

    data: Mapping[str, Any]
    keys: Mapping[str, str]


def configuration_of(model: Model, data: Mapping[str, Any] | None = None) -> Configuration | None:
    """The configuration of a model, its dims found in it; None where there is none.

    Args:
        model: the model, its dims all numbers.
        data: the keys that it was read from; without them those of the catalogue, or else what it
            is converted to.

    >>> from symparam.descriptions.load import load
    >>> found = configuration_of(load("gpt2"))
    >>> found.keys["d_model"], found.keys["d_ff"], "d_head" in found.keys
    ('n_embd', 'n_inner', False)
    """
    found = next((each for each in _sources(model, data) if _same(_read(each, model), model)), None)
    if found is None:
        return None
    values, keys = resolve(model, model.dims_at_work).values, dict[str, str]()
    names = [name for name in values if name in model.names and name not in RUN]
    for _ in range(2):  # what one key leaves to another is told apart when that one is written
        written = all_placed(found, {key: values[name] for name, key in keys.items()})
        keys |= {name: key for name in names if name not in keys
                 and (key := _key_of(name, model, written))}
    return Configuration(found, keys)


def _sources(model: Model, data: Mapping[str, Any] | None) -> Iterator[Mapping[str, Any]]:
    if data:
        yield data
    name = published_name(model.name)
    stated = catalogue.configuration(name) if name is not None else None
    if stated is not None:
        yield stated[1]
    try:
        yield convert(model, "hf").data
    except (SymparamError, KeyError):
        return


def _read(data: Mapping[str, Any], model: Model) -> Model | None:
    """What a configuration is read as; None where it is refused."""
    try:
        return read_config("config.json", dict(data), model.name)
    except SymparamError:
        return None


def _same(found: Model | None, model: Model) -> bool:
    """Whether a model has the same matrices, and the same numbers at work."""
    try:
        return found is not None and matrices(found) == matrices(model) and _values(
            found, model) == _values(model, model)
    except SymparamError:
        return False


def _values(found: Model, model: Model) -> dict[str, int]:
    values = resolve(found, model.dims_at_work).values
    return {name: values[name] for name in model.dims_at_work if name in values}


def _key_of(name: str, model: Model, data: Mapping[str, Any]) -> str | None:
    """The key that holds a dim; None where none was found."""
    value = resolve(model, model.dims_at_work).values[name]
    written = [key for key, held in _numbers(data) if held == value and type(held) is int]
    names = (name, *model.describe(name).aliases, *filter(None, (HF_KEYS.get(name),)))
    absent = [key for key in names if data.get(key) is None]
    likely = sorted(written, key=lambda key: key.rpartition(".")[2] not in names)
    return next((key for key in (*likely, *absent) if _holds(key, name, model, data)), None)


def _numbers(data: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """The keys of a configuration with what they hold, those one level down behind a point."""
    for key, held in data.items():
        if isinstance(held, Mapping) and not before:
            yield from _numbers(held, f"{key}.")
        else:
            yield before + key, held


def _holds(key: str, name: str, model: Model, data: Mapping[str, Any]) -> bool:
    """Whether other numbers at a key are other numbers of a dim, wherever the model has them."""
    agreed = 0
    for number in _others(name, resolve(model, model.dims_at_work).values[name]):
        try:
            wanted = build(model, Options(), {name: number})
            matrices(wanted)
        except SymparamError:
            continue
        if not _same(_read(placed(data, key, number), model), wanted):
            return False
        agreed += 1
        if agreed == ENOUGH:
            break
    return agreed > 0


def _others(name: str, value: int) -> list[int]:
    """Other numbers that a dim is likely to be able to have."""
    step = step_of(name, value)
    found = (value + step, 2 * value, value // 2, value + 2 * step, value - step, 4 * value,
             value // 4, value + 3 * step, 3 * value, value + 4 * step)
    return [number for number in dict.fromkeys(found) if number > 0 and number != value]


def all_placed(data: Mapping[str, Any], numbers: Mapping[str, int]) -> dict[str, Any]:
    """The configuration with a number at each of some keys."""
    return reduce(lambda held, each: placed(held, *each), numbers.items(), dict(data))


def placed(data: Mapping[str, Any], key: str, number: int) -> dict[str, Any]:
    """The configuration with a number at a key.

    >>> placed({"text_config": {"head_dim": 64}}, "text_config.head_dim", 128)
    {'text_config': {'head_dim': 128}}
    """
    first, _, rest = key.partition(".")
    return {**data, first: placed(data.get(first) or {}, rest, number) if rest else number}
