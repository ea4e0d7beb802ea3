"""Models of timm, diffusers and x-transformers, where these are installed: traced, and held against
what is built at points that the tracer has not seen."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from symparam.tracing.sources.targets import find_target
from tests.differential.survey.one import builder, by_cpu_time, held_against
from tests.differential.survey.vision import declare_operators
from tests.traces import fault

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.differential
MODELS = str(Path(__file__).with_name("x_models.py"))
#: Points of sizes, and as many of layers too.
POINTS = 10

TIMM = ("vit_tiny_patch16_224", "deit_tiny_patch16_224", "swin_tiny_patch4_window7_224",
        "convnext_atto", "resnet50", "efficientnet_b0", "eva02_tiny_patch14_224",
        "mixer_s32_224", "maxvit_tiny_tf_224", "beit_base_patch16_224", "coatnet_0_rw_224",
        "mobilenetv3_small_100", "poolformer_s12", "cait_xxs24_224", "pit_ti_224",
        "xcit_nano_12_p8_224", "visformer_tiny")
DIFFUSERS = (
    "DiTTransformer2DModel", "PixArtTransformer2DModel", "FluxTransformer2DModel",
    "SD3Transformer2DModel", "UNet2DModel", "UNet2DConditionModel", "AutoencoderKL",
    "HunyuanDiT2DModel", "CogVideoXTransformer3DModel", "AuraFlowTransformer2DModel",
    "LTXVideoTransformer3DModel", "WanTransformer3DModel", "QwenImageTransformer2DModel",
    "Lumina2Transformer2DModel", "SanaTransformer2DModel", "StableCascadeUNet", "VQModel")
#: Arguments that have no default that builds.
NEEDED = {"HunyuanDiT2DModel": {"sample_size": 128, "patch_size": 2, "in_channels": 4}}
X_MODELS = (f"{MODELS}:decoder", f"{MODELS}:gated", f"{MODELS}:two_stacks")


def traced(library: str, text: str, settings: dict[str, Any] | None = None) -> dict[str, Any]:
    """A line of a survey on a target of a library; skipped where that is not installed."""
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    declare_operators()
    by_cpu_time()
    return held_against(find_target(text, settings or {}), POINTS)


@pytest.mark.parametrize("name", TIMM)
def test_a_model_of_timm_is_exact_where_nothing_is_assumed(name: str) -> None:
    line = traced("timm", f"timm:{name}")
    assert (line["sizes"][0], line["wrong"]) == (POINTS, [])


@pytest.mark.parametrize("name", DIFFUSERS)
def test_a_class_of_diffusers_is_exact_where_nothing_is_assumed(name: str) -> None:
    line = traced("diffusers", f"diffusers:{name}", NEEDED.get(name))
    assert (line["sizes"][0], line["wrong"]) == (POINTS, [])


@pytest.mark.parametrize("text", X_MODELS)
def test_a_model_of_x_transformers_has_every_count_by_a_rule(text: str) -> None:
    line = traced("x_transformers", text)
    assert (line["sizes"][0], line["together"][0], line["wrong"]) == (POINTS, POINTS, [])
    assert {kind for kind, _ in line["assumptions"]} <= {"existence", "asserted"}


def test_a_class_of_x_transformers_takes_what_it_is_given() -> None:
    line = traced("x_transformers", "x_transformers:Decoder", {"dim": 96, "depth": 3, "heads": 4})
    assert (line["sizes"][0], line["together"][0], line["wrong"]) == (POINTS, POINTS, [])


def test_the_comparison_notices_rows_of_another_model() -> None:
    from symparam.tracing import trace

    if importlib.util.find_spec("x_transformers") is None:
        pytest.skip("x_transformers is not installed")
    one, other = (find_target(f"{MODELS}:{name}", {}) for name in ("decoder", "gated"))
    found = trace(one, points=2)
    dims = {key.name: key.base for key in found.keys if isinstance(key.base, int)}
    assert not fault(found, dims, builder(one)(one.base))
    assert fault(found, dims, builder(other)(other.base))
