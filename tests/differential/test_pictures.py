"""Positions of a picture: symparam's rules against transformers' processors and models.

Configurations are drawn as for counts, pictures of every size and shape with each, among them such
as come out even: there a float falls on one side or the other.
"""

from __future__ import annotations

import math

import pytest

from symparam.descriptions.assembling.wholes import WHOLES
from symparam.resolve import resolve
from tests.differential.pictured import ON_CANVASES, PROCESSORS, features
from tests.differential.pictures import EACH, PICTURES, compared, seeing, sizes

pytestmark = pytest.mark.differential

#: Whose towers read one size alone and put out what their own code says.
FIXED = ("gemma3", "got_ocr2", "llava", "paligemma", "video_llava", "vipllava")


@pytest.mark.parametrize("model_type", sorted({**PROCESSORS, **ON_CANVASES}))
def test_a_picture_takes_what_the_processor_says(model_type: str) -> None:
    pytest.importorskip("transformers")
    pytest.importorskip("PIL")
    seen = list[int]()
    for seed, high, wide, ours, said in compared(model_type):
        assert ours == said, (seed, high, wide)
        seen.append(said)
    assert len(seen) > EACH * PICTURES / 2
    assert len(set(seen)) > 5


@pytest.mark.parametrize("model_type", FIXED)
def test_a_picture_takes_what_the_model_makes_of_it(model_type: str) -> None:
    pytest.importorskip("transformers")
    pytest.importorskip("PIL")
    compared, seen = 0, set[int]()
    for seed in range(60):
        found = seeing(model_type, seed)
        if found is None or found[1].picture.needed() is None:
            continue
        config, model = found
        try:
            made = features(config)
        except (IndexError, NotImplementedError, RuntimeError, AttributeError):
            continue  # no such model runs
        assert model.quantity("image_tokens") == made, config
        compared += 1
        seen.add(made)
        if compared == EACH:
            break
    assert compared == EACH
    assert len(seen) > 1 or model_type == "gemma3"


def test_every_whole_that_sees_is_compared_or_said_to_be_unknown() -> None:
    """BLIP-2 takes as many as it has questions, Gemma 3n as it says, for which another package is
    needed; the others have no positions of a picture, or are said to be open."""
    compared = {*PROCESSORS, *ON_CANVASES, *FIXED}
    sees = {name for name, whole in WHOLES.items() if whole.picture is not None}
    assert sees - compared == {"blip-2", "clip", "dots3_note", "gemma3n", "inkling2",
                               "inkling_mm_model", "mllama", "siglip", "siglip2"}
    assert compared <= sees


@pytest.mark.parametrize(("dim", "more"), [("max_pixels", 28 * 28), ("d_patch_vision", 1),
                                           ("n_merge_vision", 1)])
def test_the_comparison_notices_another_rule(dim: str, more: int) -> None:
    """A number that is off by a little is noticed in one of the pictures."""
    pytest.importorskip("transformers")
    pytest.importorskip("PIL")
    found = seeing("qwen2_5_vl", 3)
    assert found is not None
    noticed = 0
    for high, wide in [*sizes("mutant"), (5000, 5000), (3000, 4444)]:
        given = found[1]._with({"image_height": high, "image_width": wide})
        dims = resolve(given, given.dims_at_work).values
        if max(high, wide) <= 200 * min(high, wide):
            other = PROCESSORS["qwen2_5_vl"]({**dims, dim: dims[dim] + more}, (high, wide))
            noticed += other != math.prod((dims["image_rows"], dims["image_columns"]))
    assert noticed
