"""Pictures drawn for every kind of model that sees, and what transformers makes of them, recorded.

``python -m tests.differential.pictures > tests/data/pictures.json`` (transformers 5.23.0, torch
2.13.0, Pillow). Of each type: the number of its configuration, height, width, positions.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator

from symparam.api import Model
from symparam.descriptions.config import read_config
from symparam.descriptions.seeing.tiles import NEXT, ONE_VISION
from symparam.errors import BadValue, SymparamError
from symparam.resolve import resolve
from tests.differential.draw import Config
from tests.differential.drawn import drawn
from tests.differential.pictured import ON_CANVASES, PROCESSORS

#: Configurations of each type, and pictures of each.
EACH, PICTURES = 6, 12
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


def compared(model_type: str) -> Iterator[tuple[int, int, int, int, int]]:
    """Number of the configuration, height and width of a picture, positions by symparam and by
    transformers."""
    done = 0
    for seed in range(4 * EACH):
        if done >= EACH * PICTURES or (found := seeing(model_type, seed)) is None:
            continue
        config, model = found
        for high, wide in sizes(f"{model_type} {seed}"):
            if max(high, wide) > 200 * min(high, wide):
                continue
            given = model._with({"image_height": high, "image_width": wide})
            dims = resolve(given, given.dims_at_work).values
            said = theirs(model_type, config, dims, (high, wide))
            if said is not None:
                ours = positions(model, high, wide)
                done += 1
                yield seed, high, wide, ours, said


def positions(model: Model, high: int, wide: int) -> int:
    """What symparam says; 0 where it refuses a picture of which no row or no column is left."""
    try:
        found = model.quantity("image_tokens", image_height=high, image_width=wide)
    except BadValue as error:
        if "no row or no column" not in str(error):
            raise
        return 0
    assert isinstance(found, int)
    return found


#: Of each type, so many pictures of each of its first configurations are recorded.
RECORDED = 5


def recorded(model_type: str) -> list[tuple[int, int, int, int]]:
    """What transformers says of a few pictures of two configurations."""
    by_seed: dict[int, list[tuple[int, int, int, int]]] = {}
    for seed, high, wide, _, said in compared(model_type):
        by_seed.setdefault(seed, []).append((seed, high, wide, said))
    return [row for rows in [*by_seed.values()][:2] for row in rows[:RECORDED]]


if __name__ == "__main__":
    lines = []
    for each in sorted({**PROCESSORS, **ON_CANVASES}):
        lines.append(f"{json.dumps(each)}: {json.dumps(recorded(each))}")
        print(each, file=sys.stderr, flush=True)
    print("{\n" + ",\n".join(lines) + "\n}")
