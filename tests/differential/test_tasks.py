"""The class that transformers builds for what a configuration is asked to be counted as."""

from __future__ import annotations

import json
import warnings
from typing import Any

import pytest

from symparam.checkpoints.compare import compare
from symparam.checkpoints.expected import expected
from symparam.checkpoints.module import build_module, module_tensors
from symparam.descriptions.config import TASKS, read_config
from symparam.descriptions.read_as import ReadAs
from symparam.errors import SpecError
from tests.differential import timm_tower
from tests.differential.draw import Draw
from tests.differential.drawn import BUILT

pytestmark = pytest.mark.differential

#: What no automatic class of transformers builds; ``architectures`` has to name the class.
WITHOUT = {
    **{tower: {"None", "base"} for tower in (
        "blip_2_vision_model", "dots3_note_audio_encoder", "dots3_note_vision_encoder",
        "granite_speech_encoder", "granite_speech_plus_encoder", "inkling_audio", "inkling_vision",
        "siglip2_text_model", "siglip_text_model")},
    "longt5": {"encoder"},
    "nemotron3_diarization": {"None", "classifier"},  # of frames of sound
    "reformer": {"mlm"},  # there is one, and it refuses a decoder
    "whisper": {"encoder"},
    "step3p5": {"None", "base", "causal"},
    "switch_transformers": {"encoder"},
    "mllama_text_model": {"None", "base", "causal"},
    "t5gemma": {"encoder"},  # there is one, and it refuses a configuration with a decoder
}


def outcome(config: dict[str, Any], task: str | None) -> str:
    """How a configuration without a class compares when it is counted as a task."""
    model = read_config("drawn", json.loads(json.dumps(config)), "drawn", ReadAs(task))
    try:
        module = build_module(config, "drawn", model.task, asked=task is not None)
    except SpecError as error:
        return str(error)
    result = compare(expected(model), module_tensors(module), model.part)
    return "equal" if result.equal else f"{type(module).__name__}: {result.distance} differ"


@pytest.mark.parametrize("model_type", sorted(BUILT))
def test_a_task_is_built_as_it_is_counted(model_type: str) -> None:
    pytest.importorskip("transformers")
    timm_tower.stand_in()
    drawn = {"model_type": model_type, **BUILT[model_type](Draw(f"{model_type} task"))}
    config = {key: value for key, value in drawn.items() if key != "architectures"}
    config |= {"inner_group_num": 1} if model_type == "albert" else {}  # see test_spellings
    found: dict[str, str] = {}
    for task in (None, *TASKS):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found[str(task)] = outcome(config, task)
            except SpecError:
                continue  # the family is not counted so
    unequal = {task: words for task, words in found.items() if words != "equal"}
    assert set(unequal) == WITHOUT.get(model_type, set()), (config, unequal)
    assert found
