"""Names as published checkpoints have them, which transformers makes from its modules' own.

What its saving writes is a checkpoint of each drawn configuration; it has to be found equal.
"""

from __future__ import annotations

import json
import warnings
from typing import Any

import pytest

from symparam.checkpoints.compare import Comparison, compare
from symparam.checkpoints.expected import expected
from symparam.checkpoints.header import Shape
from symparam.descriptions.config import read_config
from tests.differential import timm_tower
from tests.differential.draw import Draw
from tests.differential.drawn import BUILT, DRAWN

pytestmark = pytest.mark.differential

#: Configurations of each model type.
EACH = 4

#: Types whose saved names are not read back, and why.
LEFT = {
    "deepseek_v4": "its first format has other parts and names throughout, its scales among them",
    **dict.fromkeys(("dots3_note", "dots3_note_audio_encoder", "dots3_note_vision_encoder"),
                    "its towers are saved with numbers where modules have words"),
    **dict.fromkeys(("inkling2", "inkling2_text", "inkling_mm_model"),
                    "all is saved by other names, rows of gates between those that they gate"),
    "kimi_k25": "the renamings of its tower fall on the language model too when it is saved; what "
                "is published is read (tests/test_check.py)",
    "nemo_speechlm": "the renamings of its sound parts fall on the language model too",
}


def saved(config: dict[str, Any]) -> dict[str, Shape]:
    """Name and shape of the tensors that transformers would write for a configuration."""
    import torch
    import transformers
    import transformers.utils.logging
    from transformers.core_model_loading import revert_weight_conversion
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    transformers.utils.logging.set_verbosity_error()
    timm_tower.stand_in()
    made = CONFIG_MAPPING[config["model_type"]].from_dict(dict(config))
    with torch.device("meta"):
        module = getattr(transformers, config["architectures"][0])(made)
    module.tie_weights()
    once = {name for name, _ in module.named_parameters()}
    twice = {name for name, _ in module.named_parameters(remove_duplicate=False)} - once
    state = {name: value for name, value in module.state_dict().items() if name not in twice}
    return {name: tuple(value.shape)
            for name, value in revert_weight_conversion(module, state).items()}


def against_saved(config: dict[str, Any]) -> Comparison:
    """The configuration held against what transformers would write for it."""
    model = read_config("drawn", json.loads(json.dumps(config)), "drawn")
    return compare(expected(model), saved(config), model.part)


def left_out(config: dict[str, Any]) -> bool:
    """Whether a drawn configuration has names that are known not to be read.

    Several layers in a group of ALBERT's: they are numbered in it. Several shared blocks of
    Zamba2's: the adapters of all are listed with the first.
    """
    key = {"albert": "inner_group_num", "zamba2": "num_mem_blocks"}.get(config["model_type"], "")
    return bool(config.get(key, 1) > 1)


@pytest.mark.parametrize("model_type", sorted(BUILT.keys() - LEFT.keys()))
def test_saved_names_are_read(model_type: str) -> None:
    pytest.importorskip("transformers")
    compared = 0
    for number in range(EACH):
        config = {"model_type": model_type, **DRAWN[model_type](Draw(f"{model_type} {number}"))}
        if left_out(config):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = against_saved(config)
            except (ValueError, RuntimeError, KeyError, AttributeError):
                continue  # drawn, and not built by transformers, or of a class that it hides
        rows = [*found.missing, *found.extra, *found.reshaped]
        assert found.equal, (config, [(row.spelled, row.shape, row.other) for row in rows][:8])
        compared += 1
    assert compared


@pytest.mark.parametrize("model_type", sorted(LEFT))
def test_what_is_left_is_still_not_read(model_type: str) -> None:
    pytest.importorskip("transformers")
    config = {"model_type": model_type, **DRAWN[model_type](Draw(f"{model_type} 0"))}
    assert not against_saved(config).equal, "take it off the list"


def test_the_comparison_notices_a_lost_tensor() -> None:
    pytest.importorskip("transformers")
    config = {"model_type": "mixtral", **DRAWN["mixtral"](Draw("mixtral lost"))}
    model = read_config("drawn", json.loads(json.dumps(config)), "drawn")
    tensors = saved(config)
    del tensors[next(name for name in tensors if ".experts.0.w1." in name)]
    assert compare(expected(model), tensors).distance == 1
