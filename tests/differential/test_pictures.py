"""Positions of a picture: symparam's rules against transformers' processors and models.

Configurations are drawn as for counts, pictures of every size and shape with each, among them such
as come out even: there a float falls on one side or the other.
"""

from __future__ import annotations

import math
import random

import pytest

from symparam.api import Model
from symparam.descriptions.assembling.wholes import WHOLES
from symparam.descriptions.config import read_config
from symparam.descriptions.seeing.tiles import NEXT, ONE_VISION
from symparam.errors import SymparamError
from symparam.resolve import resolve
from tests.differential.draw import Config
from tests.differential.drawn import drawn
from tests.differential.pictured import ON_CANVASES, PROCESSORS, features

pytestmark = pytest.mark.differential

#: Configurations of each type, and pictures of each.
EACH, PICTURES = 6, 12
#: Whose towers read one size alone and put out what their own code says.
FIXED = ("gemma3", "got_ocr2", "llava", "paligemma", "video_llava", "vipllava")
#: A Gemma 3 that is drawn has too few patches to average.
SIZED = {"gemma3": {"image_size": 16 * 4 * 7 + 3, "patch_size": 7}}


def seeing(model_type: str, seed: int) -> tuple[Config, Model] | None:
    """A drawn whole that sees, where it is known what a picture takes."""
    config = drawn(model_type, f"picture {seed}")
    if model_type in SIZED and "vision_config" in config:
        config["vision_config"] |= SIZED[model_type]
    try:
        model = Model.wrap(read_config("config.json", dict(config), "small"))
    except SymparamError:
        return None
    return None if model.picture is None or model.picture.unset else (config, model)


def sizes(seed: str) -> list[tuple[int, int]]:
    """Heights and widths, every third one a square, or twice as wide as high."""
    drawn_ = random.Random(seed)
    found = []
    for number in range(PICTURES):
        high, wide = (int(10**drawn_.uniform(1, 3.7)) for _ in range(2))
        found.append((high, high * (1 + number % 2) if number % 3 == 0 else wide))
    return found


def theirs(model_type: str, config: Config, dims: dict[str, int], size: tuple[int, int],
           ) -> int | None:
    """What the processor says; None where it refuses the picture or no such model runs."""
    if model_type == "llama4" and dims["d_image_vision"] // dims["d_patch_vision"] % 2:
        return None  # (an odd number of patches cannot be halved)
    try:
        if model_type in PROCESSORS:
            return PROCESSORS[model_type](dims, size)
        canvases = config.get("image_grid_pinpoints") or (
            ONE_VISION if model_type == "llava_onevision" else NEXT)
        return ON_CANVASES[model_type](dims, size, canvases)
    except ValueError:  # a picture that is too long, or a page that no number of patches makes
        return None


@pytest.mark.parametrize("model_type", sorted({**PROCESSORS, **ON_CANVASES}))
def test_a_picture_takes_what_the_processor_says(model_type: str) -> None:
    pytest.importorskip("transformers")
    pytest.importorskip("PIL")
    compared, seen = 0, set[int]()
    for seed in range(4 * EACH):
        if (found := seeing(model_type, seed)) is None:
            continue
        config, model = found
        for high, wide in sizes(f"{model_type} {seed}"):
            if max(high, wide) > 200 * min(high, wide):
                continue
            given = model._with({"image_height": high, "image_width": wide})
            dims = resolve(given, given.dims_at_work).values
            said = theirs(model_type, config, dims, (high, wide))
            if said is not None:
                ours = model.quantity("image_tokens", image_height=high, image_width=wide)
                assert ours == said, (config, high, wide)
                compared += 1
                seen.add(said)
        if compared >= EACH * PICTURES:
            break
    assert compared > EACH * PICTURES / 2
    assert len(seen) > 5


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
