"""What traces find of products and caches against families that are written by hand.

A drawn configuration of a model type is traced, forward passes too; then both are asked what a pass
multiplies, what is kept and how many parameters are active, at points that neither has seen: other
widths, depths, lengths. A trace knows the code of transformers alone, a family the configuration.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from symparam.descriptions.config import read_config
from symparam.errors import SymparamError
from symparam.model import Model
from symparam.quantities import find
from symparam.quantities.quantity import Subject
from symparam.quantities.setting import Setting
from symparam.traced.model import model_of
from symparam.traced.records import Trace
from symparam.tracing import trace
from symparam.tracing.sources.configurations import from_config
from tests.differential.draw import Config
from tests.differential.drawn import drawn
from tests.differential.traced_families import _builds, _points

#: Models whose attention is plain products; the experts of some are gathered.
DENSE = tuple("llama gpt2 mistral qwen2 qwen3 gemma2 gemma3_text phi3 olmo2 gpt_neox opt".split())
MIXTURES = ("mixtral", "qwen3_moe", "olmoe")
#: Quantities with ways to count pairs, and the lengths at which they are asked for.
ASKED = (("flops", "all-pairs"), ("flops", "full"), ("flops", "causal"), ("kv_cache", "full"),
         ("kv_per_token", "full"), ("active", "full"))
LENGTHS = (5, 64, 1999)
#: Points that are enough.
POINTS = 6


def traced(model_type: str, seed: str = "0") -> tuple[Config, Trace]:
    """A configuration that builds, and its trace.

    Raises:
        LookupError: none builds.
    """
    config = next((c for c in (drawn(model_type, f"{seed} {n}") for n in range(20))
                   if _builds(c)), None)
    if config is None:
        raise LookupError(model_type)
    return config, trace(from_config(config, {}, model_type), points=8, seconds=240, costs=True)


def differences(config: Config, found: Trace) -> tuple[int, list[str]]:
    """How many numbers were compared, and those that differ."""
    model, compared, wrong = model_of(found), 0, list[str]()
    for given, point in _accepted(found, config):
        here = replace(model, values={**model.values, **given})
        ours = read_config("drawn", json.loads(json.dumps(point)), "drawn")
        for name, pairs in ASKED:
            for length in LENGTHS:
                said = [_asked(each, name, pairs, length) for each in (here, ours)]
                if None in said:
                    continue
                compared += 1
                if said[0] != said[1]:
                    wrong.append(f"{name} ({pairs}) at {given}, s={length}: {said[0]} traced, "
                                 f"{said[1]} of the family")
    return compared, wrong


def _accepted(found: Trace, config: Config) -> Iterator[tuple[dict[str, int], Config]]:
    """Points of which both say something, the configuration itself first."""
    yield {}, copy.deepcopy(config)
    left = POINTS
    for given, point in _points(found, config, f"costs {found.name}"):
        model = replace(model_of(found), values={**model_of(found).values, **given})
        try:
            read_config("drawn", json.loads(json.dumps(point)), "drawn")
            Subject.of(model, Setting().at(s=8)).ledger.at_work()
        except SymparamError:
            continue
        yield given, point
        left -= 1
        if not left:
            return


def _asked(model: Model, name: str, pairs: Any, length: int) -> int | None:
    """A quantity; None where the model has none."""
    try:
        value: int = find(name).of(model, Setting(attention=pairs).at(s=length, b=3))
        return value
    except SymparamError:
        return None
