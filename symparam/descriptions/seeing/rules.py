"""What rules for the positions of a picture are made of: its size, and what a processor is set to.

A rule reads the configuration of the whole and says which dims a picture has, how they follow from
its size, and how many positions they make. What a configuration does not say, since it stands in
preprocessor_config.json, is a dim with a default and the reason for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from symparam import expression as ex
from symparam.constraints import Equation, Standing
from symparam.descriptions.config import Config
from symparam.dims import Dim
from symparam.model import Model
from symparam.sight import Picture

#: From the configuration of the whole, and of its tower with its type, to what a picture takes.
Seeing: TypeAlias = Callable[[Config, Mapping[str, Any]], Picture]

#: What is said of numbers that stand in no config.json.
SET = "as published files of preprocessor_config.json have it"
CLASS = "as transformers' image processor has it where preprocessor_config.json says nothing"
#: The size of a picture where nobody says, in pixels.
USUAL = {"image_height": 768, "image_width": 1024}
HEIGHT, WIDTH = ex.Sym("image_height"), ex.Sym("image_width")
PATCH = ex.Sym("d_patch_vision")
IMAGE = ex.Sym("d_image_vision")
ROWS, COLUMNS = ex.Sym("image_rows"), ex.Sym("image_columns")

_DIMS = {dim.name: dim for dim in (
    Dim("image_height", r"h_{\text{image}}", "height of a picture, in pixels"),
    Dim("image_width", r"w_{\text{image}}", "width of a picture, in pixels"),
    Dim("image_positions", r"n_{\text{image positions}}", "positions of a picture, as it is said"),
    Dim("image_rows", r"n_{\text{image rows}}", "rows of positions of a picture or of a tile"),
    Dim("image_columns", r"n_{\text{image columns}}",
        "positions of a row of a picture or of a tile"),
    Dim("tile_rows", r"n_{\text{tile rows}}", "rows of tiles that a picture is cut into"),
    Dim("tile_columns", r"n_{\text{tile columns}}", "tiles of a row of them"),
    Dim("image_tiles", r"n_{\text{image tiles}}",
        "tiles of a picture that go through the tower, the picture as a whole among them"),
    Dim("canvas_rows", r"n_{\text{canvas rows}}", "rows of positions of a picture cut into tiles"),
    Dim("canvas_columns", r"n_{\text{canvas columns}}", "positions of one of these rows"),
    Dim("window_rows", r"n_{\text{window rows}}", "rows of positions of a window"),
    Dim("window_columns", r"n_{\text{window columns}}", "positions of one of these rows"),
    Dim("image_marks", r"n_{\text{image marks}}", "tokens that part the tiles of a picture"),
    Dim("min_pixels", r"n_{\text{min pixels}}", "pixels that a picture has at least"),
    Dim("max_pixels", r"n_{\text{max pixels}}", "pixels that a picture has at most"),
    Dim("min_tiles", r"n_{\text{min tiles}}", "tiles that a picture is cut into at least"),
    Dim("max_tiles", r"n_{\text{max tiles}}", "tiles that a picture is cut into at most"),
    Dim("tile_side", r"d_{\text{tile}}", "side of a tile, in pixels"),
    Dim("longest_edge", r"d_{\text{longest}}", "longer side of a picture, in pixels"),
    Dim("max_patches", r"n_{\text{max patches}}", "patches that a picture has at most"),
    Dim("max_side_patches", r"n_{\text{max side}}", "patches along a side at most"),
    Dim("max_positions", r"n_{\text{max positions}}", "positions that a picture takes at most"),
    Dim("n_pooled", r"n_{\text{pooled}}", "patches along a side that are averaged into one"),
    Dim("page_height", r"h_{\text{page}}", "height that a picture is fitted into, in pixels"),
    Dim("page_width", r"w_{\text{page}}", "width that a picture is fitted into, in pixels"),
)}


def rule(dim: str, expr: ex.Expr | int, reason: str) -> Equation:
    """How a dim of a picture follows, or the number that is taken where nobody says."""
    return Equation(dim, ex.node(expr), reason, Standing.DEFAULT)


def called(procedure: str, *parts: ex.Expr | int) -> ex.Expr:
    """What a procedure makes of numbers."""
    return ex.Procedure(procedure, tuple(map(ex.node, parts)))


def down(top: ex.Expr, bottom: ex.Expr | int) -> ex.Expr:
    """A quotient, brought down to a whole number."""
    return ex.Whole(top / ex.node(bottom), "down")


def up(top: ex.Expr, bottom: ex.Expr | int) -> ex.Expr:
    """A quotient, brought up to a whole number."""
    return ex.Whole(top / ex.node(bottom), "up")


def picture(takes: Mapping[str, tuple[ex.Expr | int, ...]], *equations: Equation) -> Picture:
    """What a picture takes, and how; its size may be given whatever the rule makes of it."""
    size = tuple(rule(name, number, "nobody said") for name, number in USUAL.items())
    known = {eq.dim for eq in equations} | set(USUAL)
    return Picture(tuple((what, tuple(map(ex.node, factors))) for what, factors in takes.items()),
                   tuple(dim for name, dim in _DIMS.items() if name in known),
                   (*size, *equations))


def unknown(reason: str) -> Seeing:
    """A rule that is not known, with why."""
    return lambda config, tower: Picture(unset=reason)


def only(types: tuple[str, ...], seeing: Seeing) -> Seeing:
    """A rule that holds for some kinds of tower."""
    def made(config: Config, tower: Mapping[str, Any]) -> Picture:
        if tower["model_type"] not in types:
            return Picture(unset=f"has a {tower['model_type']} for a tower, of which it is not "
                           "worked out how many positions a picture takes")
        return seeing(config, tower)

    return made


def with_picture(model: Model, seen: Picture, part: str) -> Model:
    """A whole with what a picture takes: of the projector, or of the part that is the tower."""
    stacks = [stack.name for stack in model.stacks if stack.part in (part, "projector")]
    place = "projector" if "projector" in stacks else stacks[-1]
    return replace(model, picture=replace(seen, place=place), zeros=model.zeros | seen.none)
