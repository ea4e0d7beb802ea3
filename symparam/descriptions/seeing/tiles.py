"""Rules for the positions of a picture that is cut into tiles, each of which the tower sees alone.

Source: transformers, models/<model type>: the processor's and the image processor's code; papers
where they say it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symparam import expression as ex
from symparam.constraints import Equation
from symparam.descriptions.config import Config
from symparam.descriptions.seeing.rules import (
    CLASS,
    COLUMNS,
    HEIGHT,
    IMAGE,
    PATCH,
    ROWS,
    WIDTH,
    called,
    down,
    picture,
    rule,
)
from symparam.sight import Picture

TILES, MARKS = ex.Sym("image_tiles"), ex.Sym("image_marks")
TILE_ROWS, TILE_COLUMNS = ex.Sym("tile_rows"), ex.Sym("tile_columns")
CUT = TILE_ROWS * TILE_COLUMNS
#: Whether a picture is cut into several tiles: 1 or 0.
SEVERAL = ex.Extreme("min", (ex.Num(1), CUT - 1))
SEEN = (rule("image_tiles", CUT + SEVERAL, "the picture as a whole is seen too where it is cut"),)
#: Canvases of LLaVA-NeXT where a configuration has none, by its side of a tile.
NEXT = [[336, 672], [672, 336], [672, 672], [1008, 336], [336, 1008]]
ONE_VISION = [[384 * rows, 384 * columns] for rows in range(1, 7) for columns in range(1, 7)]
#: No side of a picture is longer in Idefics 3, and what its processor takes for the longer side.
BOUND, EDGES = 4096, 4


def _grid(side: ex.Expr) -> tuple[Equation, ...]:
    reason = "the positions of one tile"
    return (rule("image_rows", side, reason), rule("image_columns", side, reason))


def _tiles(procedure: str, reason: str, *parts: ex.Expr | int) -> tuple[Equation, ...]:
    return tuple(rule(f"tile_{word}", called(f"{word}_{procedure}", HEIGHT, WIDTH, *parts), reason)
                 for word in ("rows", "columns"))


def _of_shape() -> tuple[Equation, ...]:
    """Tiles of the grid that is nearest to the shape of a picture."""
    return (rule("min_tiles", 1, CLASS), rule("max_tiles", 12, CLASS),
            *_tiles("of_shape", "the grid of tiles whose shape is nearest", IMAGE,
                    ex.Sym("min_tiles"), ex.Sym("max_tiles")), *SEEN)


def by_shape(config: Config, tower: Mapping[str, Any]) -> Picture:
    """Tiles by the shape of a picture (InternVL, arXiv:2404.16821, section 3.3)."""
    side = down(down(IMAGE, PATCH), ex.Sym("n_merge"))
    return picture({"patches": (TILES, ROWS, COLUMNS)}, *_of_shape(), *_grid(side))


def marked(config: Config, tower: Mapping[str, Any]) -> Picture:
    """The same, a token before each tile (Aya Vision, arXiv:2505.08751, section 2)."""
    side = down(IMAGE, PATCH * ex.Sym("n_merge"))
    return picture({"patches": (TILES, ROWS, COLUMNS), "marks of tiles": (TILES,)}, *_of_shape(),
                   *_grid(side))


def undistorted(config: Config, tower: Mapping[str, Any]) -> Picture:
    """Tiles of the canvas that a picture is scaled least for, a token behind each (Llama 4)."""
    ratio = tower.get("pixel_shuffle_ratio", 0.5)
    if not isinstance(ratio, float) or not 0 < ratio <= 1:
        raise config.error("vision_config.pixel_shuffle_ratio", "expected a number above 0, at "
                           "most 1")
    return picture(
        {"patches": (TILES, ROWS, COLUMNS), "marks of tiles": (MARKS,)},
        rule("max_tiles", 16, CLASS),
        *_tiles("without_distortion", "the canvas that asks for the least scaling", IMAGE,
                ex.Sym("max_tiles")), *SEEN,
        rule("image_marks", CUT * SEVERAL, "a token behind each tile where there are several"),
        *_grid(down(down(IMAGE, PATCH), round(1 / ratio))))


def _canvases(config: Config, default: list[list[int]]) -> list[int]:
    """The heights and widths that a configuration lists."""
    found = config.raw("image_grid_pinpoints", None) or default
    if not isinstance(found, list) or not all(
            isinstance(each, list) and len(each) == 2 and all(
                type(side) is int and side > 0 for side in each) for each in found):
        raise config.error("image_grid_pinpoints", "expected heights and widths in pixels")
    return [side for each in found for side in each]


def _on_canvas(procedure: str, *parts: ex.Expr | int) -> Picture:
    """Tiles of a canvas without what only fills it up, and the picture as a whole."""
    side = down(IMAGE, PATCH)
    canvas = (ex.Sym("canvas_rows"), ex.Sym("canvas_columns"))
    return picture(
        {"patches": (ROWS, COLUMNS), "patches of tiles": canvas, "ends of rows": canvas[:1]},
        *_grid(side), *(rule(f"canvas_{word}", called(f"{word}_{procedure}", HEIGHT, WIDTH, *parts),
                             "the best of the canvases that the configuration lists, without what "
                             "fills it up") for word in ("rows", "columns")))


def unpadded(config: Config, tower: Mapping[str, Any]) -> Picture:
    """The best of some canvases (LLaVA-NeXT)."""
    if config.raw("vision_feature_select_strategy", "default") != "default":
        return Picture(unset="keeps the class token of each tile: its tiles do not make rows")
    return _on_canvas("unpadded", down(IMAGE, PATCH), IMAGE, *_canvases(config, NEXT))


def kept_small(config: Config, tower: Mapping[str, Any]) -> Picture:
    """The same, made smaller where it is too large (LLaVA-OneVision, arXiv:2408.03326)."""
    if config.raw("vision_feature_select_strategy", "full") != "full":
        return Picture(unset="drops a patch of each tile: its tiles do not make rows")
    most = str(config.raw("vision_aspect_ratio", "anyres_max_9")).removeprefix("anyres_max_")
    if not most.isdecimal() or not int(most):
        return Picture(unset="keeps a picture small by a rule that is not worked out: "
                       "vision_aspect_ratio is not anyres_max_ and a number of tiles")
    return _on_canvas("kept_small", int(most), down(IMAGE, PATCH), IMAGE,
                      *_canvases(config, ONE_VISION))


def split(config: Config, tower: Mapping[str, Any]) -> Picture:
    """Tiles of a picture whose longer side is brought to a length (Idefics 3, arXiv:2408.12637)."""
    side = ex.Sym("tile_side")
    return picture(
        {"patches": (TILES, ROWS, COLUMNS), "marks of tiles": (MARKS,)},
        rule("tile_side", IMAGE, "as the tower reads; preprocessor_config.json may have another"),
        rule("longest_edge", side * EDGES, CLASS),
        *_tiles("split", "the longer side brought to its length, then cut", ex.Sym("longest_edge"),
                side, BOUND),
        rule("image_tiles", CUT + 1, "the picture as a whole is seen too"),
        rule("image_marks", CUT * 2 + TILE_ROWS, "two tokens before each tile, one behind a row"),
        *_grid(down(down(IMAGE, PATCH), ex.Sym("n_merge"))))


def looked_at(config: Config, tower: Mapping[str, Any]) -> Picture:
    """A picture as a whole, and windows of another size (Step 3.7)."""
    tile, window = ex.Sym("tile_side"), (ex.Sym("window_rows"), ex.Sym("window_columns"))
    reason = "the positions of one window"
    return picture(
        {"patches": (ROWS, COLUMNS), "patches of windows": (TILE_ROWS, TILE_COLUMNS, *window),
         "marks of windows": (MARKS,)},
        rule("tile_side", 504, CLASS), rule("longest_edge", 3024, CLASS),
        *_tiles("windows", "windows by the shape of the picture", IMAGE, tile,
                ex.Sym("longest_edge")),
        *(rule(name, down(tile, PATCH * 4), reason) for name in ("window_rows", "window_columns")),
        rule("image_marks", CUT * 2 + ex.Extreme("max", (TILE_ROWS - 1, ex.Num(0))),
             "a token before and behind each window, one between rows"),
        *_grid(down(IMAGE, PATCH * 4)))
