"""Configurations with one value altered: each is counted or refused as it was read once.

What whole configurations count is held against the programs that they are of, in the tests of each
format; here every key of one is taken away, emptied, given a word or turned, so that none passes
without a word that did not before.
"""

from __future__ import annotations

import copy
import hashlib
import math
import re
import tomllib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from symparam.descriptions.architecture.architecture_file import describe_model
from symparam.descriptions.frameworks import known, read_framework
from symparam.errors import SymparamError
from symparam.model import Model
from symparam.resolve import numbers
from tests.helpers import data, message, rows
from tests.test_description import MIXED, SAMPLE
from tests.test_frameworks import LITGPT, OLMO, PARAMS
from tests.test_gpt_neox import LLAMA, PYTHIA, sides
from tests.test_sessions import FILES
from tests.test_torchtitan import TITAN, job

#: Of each framework a few configurations that differ much, and what its file is called.
CASES: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "litgpt": ("model_config.yaml", [each["config"] for each in LITGPT[5::31]]),
    "olmo_core": ("config.json", [each["config"] for each in OLMO[::11]]),
    "torchtitan": ("config.json", [job(each) for each in TITAN
                                  if each["flavor"] == "debugmodel"][::3]),
    "megatron": ("train.sh", [each["args"] for each in data("megatron.json")[::7]]),
    "meta": ("params.json", [PARAMS[0][0], PARAMS[2][0]]),
    "mistral": ("params.json", [PARAMS[3][0], PARAMS[4][0]]),
    "nanogpt": ("params.json", [PARAMS[5][0]]),
    "gpt_neox": ("x.yml", [{**PYTHIA, **sides(3, 64, 4)}, {**LLAMA, **sides(2, 96, 6)}]),
}
#: What is added to a list needs no edit here.
LISTED = re.compile("(known:|symbols are|one of|did you mean) .*")
#: A leaf that is no longer there.
GONE = object()


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every value that is no table, with the keys to it."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        yield from leaves(value[-1], (*path, len(value) - 1))
    else:
        yield path, value


def others(value: Any) -> Iterator[tuple[str, Any]]:
    """What stands in place of a value."""
    yield from (("gone", GONE), ("null", None), ("word", "x"))
    match value:
        case bool():
            yield "turned", not value
        case int():
            yield from (("twice", 2 * value), ("0", 0))
        case float():
            yield "twice", 2 * value
        case [_, *_]:
            yield "shorter", value[:-1]


def altered(config: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """A configuration with one value altered, and which."""
    for path, value in leaves(config):
        for how, other in others(value):
            if other != value:
                changed = at = copy.deepcopy(config)
                for key in path[:-1]:
                    at = at[key]
                if other is GONE:
                    del at[path[-1]]
                else:
                    at[path[-1]] = other
                yield f"{'.'.join(map(str, path))} {how}", changed


def told(read: Callable[[dict[str, Any]], Model], config: dict[str, Any]) -> str:
    """What is counted, with a mark of all names and shapes and of what is said; or why nothing."""
    try:
        model = read(config)
        numbers(model)
        found = rows(model)
    except SymparamError as error:
        return LISTED.sub(r"\1 ...", message(error))[:100]
    kept = sorted((*map(repr, found.items()), *model.left_out, *model.defaulted))
    mark = hashlib.sha256("\n".join(kept).encode()).hexdigest()[:8]
    return f"{sum(math.prod(shape) * copies for (_, shape), copies in found.items())} {mark}"


def lines(read: Callable[[dict[str, Any]], Model], configs: list[dict[str, Any]]) -> str:
    """Every alteration that is not read as the whole is, with what comes of it."""
    found = list[str]()
    for number, config in enumerate(configs):
        whole = told(read, config)
        found.append(f"{number}: {whole}")
        for what, changed in altered(config):
            if (said := told(read, changed)) != whole:
                found.append(f"  {what}: {said}")
    return "".join(f"{line}\n" for line in found)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("name", CASES)
def test_what_comes_of_a_framework_s_file_with_one_value_altered(
        name: str, golden: Callable[[str, str], None]) -> None:
    file, configs = CASES[name]
    golden(f"altered/{name}.txt",
           lines(lambda config: read_framework(known()[name], file, config, "x"), configs))


def test_what_comes_of_a_description_with_one_value_altered(
        golden: Callable[[str, str], None]) -> None:
    golden("altered/description.txt",
           lines(lambda config: describe_model("x", config, "x"),
                 [tomllib.loads(text) for text in (SAMPLE, MIXED, FILES["hybrid.toml"])]))
