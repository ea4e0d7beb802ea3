"""Random configurations of every family, listed here and built by transformers itself.

Tensors are compared by their whole names: one that stands in another layer is another tensor.

Left out of an ordinary run: it needs torch and transformers, and takes minutes.
"""

from __future__ import annotations

from typing import Any

import pytest

from symparam.descriptions.lookup import known_model_types
from symparam.errors import SymparamError
from tests.differential import timm_tower
from tests.differential.compare import Shapes, difference, listed_whole, whole
from tests.differential.drawn import DRAWN, drawn

pytestmark = pytest.mark.differential

#: Configurations of each model type. What transformers cannot build is drawn again.
EACH = 30

#: Types that cannot be drawn on their own, and why.
UNDRAWN = {
    "llama4_vision_model": "transformers has it inside llama4 alone, which is drawn",
    "mllama_vision_model": "transformers has it inside mllama alone, which is drawn",
    **{inside: f"transformers has it inside {whole} alone, which is drawn" for inside, whole in (
        ("gemma3n_vision", "gemma3n"), ("gemma4_unified_vision", "gemma4_unified"),
        ("got_ocr2_vision", "got_ocr2"),
        ("kimi_k25_vision", "kimi_k25"), ("minimax_m3_vl_vision", "minimax_m3_vl"),
        ("step3p5_vision", "step3p7"))},
    "qwen2_vl_vision": "transformers has it inside qwen2_vl alone, which is drawn",
    "kimi_k2": "transformers reads it as deepseek_v3, which is drawn",
    "voxtral_realtime_text": "transformers builds it only inside voxtral_realtime, which is drawn",
}


def differing(ours: Shapes, theirs: Shapes) -> list[str]:
    """Tensors that one has and the other has not, by their whole names."""
    return difference(dict.fromkeys(ours.items(), 1), dict.fromkeys(theirs.items(), 1))


def test_every_family_is_drawn() -> None:
    assert sorted(known_model_types() - set(DRAWN) - set(UNDRAWN)) == []


@pytest.mark.parametrize("model_type", sorted(DRAWN))
def test_random_configurations_are_what_transformers_builds(model_type: str) -> None:
    pytest.importorskip("transformers")
    compared = unbuilt = refused = 0
    for number in range(3 * EACH):
        config = drawn(model_type, str(number))
        try:
            theirs = whole(config)
        except Exception:  # whatever transformers raises: there is nothing to compare with
            unbuilt += 1
            continue
        try:
            ours = listed_whole(config)
        except SymparamError:
            refused += 1
            continue
        lines = differing(ours[0], theirs[0])
        assert not lines, (config, lines)
        assert ours[2] == theirs[2], config
        compared += 1
        if compared == EACH:
            break
    assert compared >= EACH - 1, f"{unbuilt} not built, {refused} refused"


def test_the_kept_tensors_of_gemma_3ns_encoder_are_timms() -> None:
    pytest.importorskip("timm", exc_type=Exception)
    assert timm_tower.kept() == timm_tower.of_timm()


def test_the_comparison_notices_another_configuration() -> None:
    pytest.importorskip("transformers")
    noticed: list[Any] = []
    for model_type in ("llama", "gpt2", "mixtral", "t5", "mamba"):
        config = drawn(model_type, "mutant")
        key = next(k for k in ("vocab_size", "hidden_size", "d_model") if k in config)
        changed = {**config, key: config[key] * 2}
        lines = differing(listed_whole(config)[0], whole(changed)[0])
        noticed.append(bool(lines))
    assert all(noticed)
