"""Rules for the positions that a picture takes, by how it is brought to the tower.

Source: transformers, models/<model type>: the processor's and the image processor's code, and what
the model does with what comes out; papers where they say it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from symparam import expression as ex
from symparam.descriptions.config import Config
from symparam.descriptions.seeing.rules import (
    CLASS,
    COLUMNS,
    HEIGHT,
    IMAGE,
    PATCH,
    ROWS,
    WIDTH,
    Seeing,
    called,
    down,
    picture,
    rule,
    up,
)
from symparam.sight import Picture

#: Vectors of a tower that are no patches.
CLASS_TOKENS = {"clip_vision_model": 1, "dinov2": 1, "siglip_vision_model": 0, "vit": 1}


def _grid(side: ex.Expr, reason: str) -> tuple[Any, ...]:
    """As many rows as columns."""
    return (rule("image_rows", side, reason), rule("image_columns", side, reason))


def all_patches(*, default: str = "default", first: bool = False) -> Seeing:
    """Every patch of a picture of one size; the first vector is dropped, or kept.

    Args:
        default: what vision_feature_select_strategy is where it is not said; empty where the key
            is not read.
        first: whether the first vector is always dropped.
    """
    def made(config: Config, tower: Mapping[str, Any]) -> Picture:
        chosen = config.raw("vision_feature_select_strategy", default) if default else ""
        beside = CLASS_TOKENS[tower["model_type"]] - (first or chosen == "default")
        takes: dict[str, tuple[ex.Expr | int, ...]] = {"patches": (ROWS, COLUMNS)}
        if beside:
            takes["vectors beside patches"] = (beside,)
        return picture(takes, *_grid(down(IMAGE, PATCH), "any picture is brought to one size"))

    return made


def averaged(config: Config, tower: Mapping[str, Any]) -> Picture:
    """Means of patches, as many along a side as make a number that is said (Gemma 3,
    arXiv:2503.19786, section 2.1)."""
    number = config.raw("mm_tokens_per_image", 256)
    if type(number) is not int or number < 1:
        raise config.error("mm_tokens_per_image", "expected a number of positions")
    side = math.isqrt(number)
    return picture({"patches": (ROWS, COLUMNS)},
                   rule("n_pooled", called("averaged", down(IMAGE, PATCH), side),
                        f"mm_tokens_per_image = {number}"),
                   *_grid(down(down(IMAGE, PATCH), ex.Sym("n_pooled")), "means of patches; any "
                          "picture is brought to one size"))


def asked(config: Config, tower: Mapping[str, Any]) -> Picture:
    """As many as there are learned questions (BLIP-2, arXiv:2301.12597, section 3.1)."""
    return picture({"questions": (ex.Sym("n_questions"),)})


def halved_twice(config: Config, tower: Mapping[str, Any]) -> Picture:
    """Two convolutions that halve each side (GOT-OCR 2.0, arXiv:2409.01704, section 3.2)."""
    side = up(up(down(IMAGE, PATCH), 2), 2)
    return picture({"patches": (ROWS, COLUMNS)},
                   *_grid(side, "two convolutions halve each side; any picture is brought to one "
                          "size, as the processor does where it is not asked to cut it"))


def of_area(least: int, most: int, reason: str) -> Seeing:
    """Sides to the nearest multiple of what becomes one, an area between two (Qwen2-VL,
    arXiv:2409.12191, section 2.1)."""
    def made(config: Config, tower: Mapping[str, Any]) -> Picture:
        bounds = (PATCH * ex.Sym("n_merge_vision"), ex.Sym("min_pixels"), ex.Sym("max_pixels"))
        return picture(
            {"patches": (ROWS, COLUMNS)}, rule("min_pixels", least, reason),
            rule("max_pixels", most, reason),
            rule("image_rows", called("within_area", HEIGHT, WIDTH, *bounds),
                 "a side goes to the nearest multiple of what becomes one"),
            rule("image_columns", called("within_area", WIDTH, HEIGHT, *bounds),
                 "a side goes to the nearest multiple of what becomes one"))

    return made


def of_patches(config: Config, tower: Mapping[str, Any]) -> Picture:
    """At most so many patches, in all and along a side (Kimi K2.5)."""
    step = PATCH * ex.Sym("n_merge_vision")
    bounds = (PATCH, step, ex.Sym("max_patches"), ex.Sym("max_side_patches"))
    reason = "made smaller where it has too many patches, then filled up"
    return picture(
        {"patches": (ROWS, COLUMNS)}, rule("max_patches", 16384, CLASS),
        rule("max_side_patches", 512, CLASS),
        rule("image_rows", called("patches_within", HEIGHT, WIDTH, *bounds), reason),
        rule("image_columns", called("patches_within", WIDTH, HEIGHT, *bounds), reason))


def told(config: Config, tower: Mapping[str, Any]) -> Picture:
    """As many as the configuration says, for the tower's blocks put out as many (Gemma 3n)."""
    number = config.raw("vision_soft_tokens_per_image", 256)
    if type(number) is not int or number < 1:
        raise config.error("vision_soft_tokens_per_image", "expected a number of positions")
    return picture({"patches": (ex.Sym("image_positions"),)},
                   rule("image_positions", number, f"vision_soft_tokens_per_image = {number}"))


def filled(config: Config, tower: Mapping[str, Any]) -> Picture:
    """Scaled to fill a number of positions, its shape kept (Gemma 4)."""
    most, reason = ex.Sym("max_positions"), "scaled to fill the positions, its shape kept"
    number = config.raw("vision_soft_tokens_per_image", 280)
    if type(number) is not int or number < 1:
        raise config.error("vision_soft_tokens_per_image", "expected a number of positions")
    pooled = ex.Sym("n_merge_vision") if config.model_type == "gemma4_unified" else (
        ex.node(tower.get("pooling_kernel_size", 3)))
    return picture(
        {"patches": (ROWS, COLUMNS)},
        rule("max_positions", number, f"vision_soft_tokens_per_image = {number}"),
        rule("image_rows", called("filling", HEIGHT, WIDTH, PATCH * pooled, most), reason),
        rule("image_columns", called("filling", WIDTH, HEIGHT, PATCH * pooled, most), reason))


def by_rows(config: Config, tower: Mapping[str, Any]) -> Picture:
    """Patches of a picture of any size, a token at the end of each row (Pixtral,
    arXiv:2410.07073, section 2.2)."""
    merged = ex.Sym("n_merge") if config.model_type == "mistral3" else ex.Num(1)
    edge, reason = ex.Sym("longest_edge"), "the longer side is made smaller, then filled up"
    return picture(
        {"patches": (ROWS, COLUMNS), "ends of rows": (ROWS,)},
        rule("longest_edge", tower.get("image_size", 1024), "as vision_config.image_size; "
             "preprocessor_config.json may have another"),
        rule("image_rows", up(called("within_edge", HEIGHT, WIDTH, edge), PATCH * merged), reason),
        rule("image_columns", up(called("within_edge", WIDTH, HEIGHT, edge), PATCH * merged),
             reason))


def by_lines(config: Config, tower: Mapping[str, Any]) -> Picture:
    """The same without a tower, in a page of one size (Fuyu)."""
    page = {"page_height": 1080, "page_width": 1920}
    high, wide = ex.Sym("page_height"), ex.Sym("page_width")
    patch, reason = ex.Sym("d_patch"), "made smaller where it does not fit, then filled up"
    return picture({"patches": (ROWS, COLUMNS), "ends of rows": (ROWS,)},
                   *(rule(dim, number, CLASS) for dim, number in page.items()),
                   rule("image_rows", up(called("within_page", HEIGHT, WIDTH, high, wide), patch),
                        reason),
                   rule("image_columns", up(called("within_page", WIDTH, HEIGHT, wide, high),
                                            patch), reason))
