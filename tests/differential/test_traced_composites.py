"""The parts of a composite that is traced whole are what its family counts of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import pytest

from symparam.api import Model
from symparam.descriptions.config import read_config
from symparam.descriptions.families import composites
from symparam.errors import SymparamError
from symparam.parts import one_part
from symparam.traced.model import model_of
from symparam.traced.parts import TEXT, parts_of
from symparam.traced.records import Trace
from symparam.tracing import trace
from symparam.tracing.sources.configurations import from_config
from tests.differential.compare import difference
from tests.differential.draw import Config
from tests.differential.drawn import DRAWN, drawn
from tests.differential.traced_families import _builds, _points
from tests.helpers import Rows

pytest.importorskip("transformers")
pytestmark = pytest.mark.differential

#: Composites whose keys are not apart, so that a trace knows no parts, or takes what stands between
#: for text.
ONE = frozenset({"fuyu", "step3p7"})
#: Those whose towers have another width or number of experts in each layer: a trace of the whole
#: takes longer than it is given.
LONG = frozenset({"dots3_note", "inkling_mm_model"})
TYPES = tuple(sorted(set(composites.MODEL_TYPES) & set(DRAWN) - ONE - LONG))
#: Those of which a family names parts otherwise than their module does, or has one inside another:
#: of these the language model alone is held against.
OTHERWISE = frozenset("""
    blip-2 gemma3n gemma4_unified granite_speech granite_speech_plus inkling2 kimi_k25
    nemo_speechlm qwen3_asr vibevoice_asr
""".split())
POINTS = 4
_NUMBER = re.compile(r"(?<![^.])\d+(?![^.])")


@cache
def traced(model_type: str) -> tuple[Config, Trace] | None:
    """A composite with its tower, traced whole; None where none builds."""
    whole = [c for c in (drawn(model_type, f"whole {n}") for n in range(20))
             if c["architectures"][0] not in composites.TEXT_CLASSES.values() and _builds(c)]
    return (whole[0], trace(from_config(whole[0], {}, model_type), points=6, seconds=200)
            ) if whole else None


def rows_of(model: Model, given: Mapping[str, int]) -> Rows:
    """The tensors of a model at a point."""
    rows: Counter[tuple[str, tuple[int, ...]]] = Counter()
    for tensor in model.tensors(**given):
        rows[_NUMBER.sub("*", tensor.name), tuple(tensor.shape)] += tensor.copies
    return {key: number for key, number in rows.items() if number}


def compared(config: Config, found: Trace) -> tuple[int, list[str]]:
    """At how many points each part that the family counts was held against it, and where they
    differ."""
    points, wrong = 0, list[str]()
    for given, point in [({}, config), *_points(found, config, f"parts {found.name}")]:
        try:
            family = read_config("drawn", point, "drawn")
            names = family.parts or (TEXT,)
            if config["model_type"] in OTHERWISE:
                names = (TEXT,)
            elif family.parts and set(names) != set(parts_of(found).rows):
                return points + 1, [f"parts {names}, traced {tuple(parts_of(found).rows)}"]
            ours = [rows_of(Model.wrap(one_part(family, name)), {}) for name in names]
            theirs = [rows_of(Model.wrap(one_part(model_of(found), name)), given)
                      for name in names]
        except SymparamError:
            continue
        points += 1
        for name, one, other in zip(names, ours, theirs, strict=True):
            wrong += [f"{name} at {given}: {line}" for line in difference(one, other)[:2]]
        if points == POINTS:
            break
    return points, wrong


@pytest.mark.parametrize("model_type", TYPES)
def test_the_parts_are_what_the_family_counts(model_type: str) -> None:
    case = traced(model_type)
    if case is None:
        pytest.skip("none with a tower builds")
    config, found = case
    assert TEXT in parts_of(found).rows
    points, wrong = compared(config, found)
    assert wrong == []
    assert points > 1
    parts = [Model.wrap(one_part(model_of(found), name)) for name in parts_of(found).rows]
    assert sum(part.count() for part in parts) == Model.wrap(model_of(found)).count()


def test_a_tensor_of_another_part_is_noticed() -> None:
    case = traced("llava")
    assert case is not None
    config, found = case
    moved = tuple(replace(row, pattern=row.pattern.replace("multi_modal_projector",
                                                           "language_model.projector"))
                  for row in found.rows)
    assert compared(config, replace(found, rows=moved))[1]
