"""How a picture is cut into tiles."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import inf, sqrt


@cache
def _grids(least: int, most: int) -> tuple[tuple[int, int], ...]:
    """Columns and rows of every grid of so many tiles, those of fewer tiles first."""
    found = ((columns, rows) for columns in range(1, most + 1)
             for rows in range(1, most // columns + 1) if columns * rows >= least)
    return tuple(sorted(found, key=lambda grid: grid[0] * grid[1]))


def of_shape(height: int, width: int, tile: int, least: int, most: int) -> tuple[int, int]:
    """Rows and columns of tiles: of the grid whose shape is nearest to that of a picture.

    Of equally near grids the one with more tiles is taken where the picture has more than half its
    area.

    Args:
        height, width: the picture, in pixels.
        tile: pixels of the side of a tile.
        least, most: tiles of the grid.

    Source: Chen et al. 2024, arXiv:2404.16821, section 3.3; transformers, models/got_ocr2,
    get_optimal_tiled_canvas.

    >>> of_shape(768, 1024, 448, 1, 12), of_shape(1024, 1024, 448, 1, 12)
    ((3, 4), (3, 3))
    """
    shape, best, nearest = width / height, (1, 1), inf
    for columns, rows in _grids(least, most):
        off = abs(shape - columns / rows)
        roomy = 2 * width * height > tile**2 * columns * rows
        if off < nearest or (off == nearest and roomy):
            best, nearest = (rows, columns), off
    return best


def without_distortion(height: int, width: int, tile: int, most: int) -> tuple[int, int]:
    """Rows and columns of tiles: of the canvas that a picture is scaled least for, its shape kept.

    It is not made smaller where a canvas has room for it; of several that ask for the same scale
    the smallest is taken.

    Args:
        height, width: the picture, in pixels.
        tile: pixels of the side of a tile.
        most: tiles of the canvas.

    Source: transformers, models/llama4, get_best_fit.

    >>> without_distortion(768, 1024, 336, 16), without_distortion(100, 100, 336, 16)
    ((3, 4), (1, 1))
    """
    def scale(grid: tuple[int, int]) -> Fraction:
        return min(Fraction(grid[0] * tile, width), Fraction(grid[1] * tile, height))

    scales = [scale(grid) for grid in _grids(1, most)]
    larger = [each for each in scales if each >= 1]
    chosen = min(larger) if larger else max(scales)
    fitting = [grid for grid, each in zip(_grids(1, most), scales, strict=True) if each == chosen]
    columns, rows = min(fitting, key=lambda grid: grid[0] * grid[1])
    return rows, columns


def best_canvas(height: int, width: int, *canvases: int) -> tuple[int, int]:
    """Height and width of the canvas, of those listed, that keeps most of a picture, then wastes
    least.

    Args:
        height, width: the picture, in pixels.
        *canvases: the heights and widths of canvases, one after the other.

    Source: transformers, image_processing_utils, select_best_resolution.

    >>> best_canvas(768, 1024, 336, 672, 672, 336, 672, 672, 1008, 336, 336, 1008)
    (672, 672)
    """
    def kept(canvas: tuple[int, int]) -> tuple[int, int]:
        scale = min(canvas[1] / width, canvas[0] / height)
        pixels = min(int(width * scale) * int(height * scale), width * height)
        return pixels, pixels - canvas[0] * canvas[1]

    return max(zip(canvases[::2], canvases[1::2], strict=True), key=kept)


def unpadded(height: int, width: int, side: int, tile: int, *canvases: int) -> tuple[int, int]:
    """Rows and columns of patches of the best canvas, without those that only fill it up.

    Args:
        height, width: the picture, in pixels.
        side: patches along a side of a tile.
        tile: pixels of that.
        *canvases: as for :func:`best_canvas`.

    Source: Liu et al. 2024, LLaVA-NeXT (llava-vl.github.io/blog/2024-01-30-llava-next);
    transformers, models/llava_next, _get_unpadded_features.

    >>> unpadded(768, 1024, 24, 336, 336, 672, 672, 336, 672, 672, 1008, 336, 336, 1008)
    (36, 48)
    """
    rows, columns = (each // tile * side for each in best_canvas(height, width, *canvases))
    if width / height > columns / rows:
        return rows - (rows - int(round(height * (columns / width), 7))) // 2 * 2, columns
    return rows, columns - (columns - int(round(width * (rows / height), 7))) // 2 * 2


def kept_small(height: int, width: int, most: int, side: int, tile: int,
               *canvases: int) -> tuple[int, int]:
    """The same, made smaller where it is more than so many tiles by more than a tenth.

    Args:
        most: tiles.
        height, width, side, tile, *canvases: as for :func:`unpadded`.

    Source: Li et al. 2024, arXiv:2408.03326, section 3.2; transformers, models/llava_onevision.

    >>> kept_small(768, 1024, 1, 27, 384, 384, 768, 768, 384, 768, 768)
    (23, 31)
    """
    rows, columns = unpadded(height, width, side, tile, *canvases)
    ratio = sqrt(rows * columns / (most * side**2))
    return (int(rows // ratio), int(columns // ratio)) if ratio > 1.1 else (rows, columns)


def split(height: int, width: int, edge: int, tile: int, bound: int) -> tuple[int, int]:
    """Rows and columns of tiles of a picture whose longer side is brought to a length; 0 and 0
    where one tile is enough.

    Args:
        height, width: the picture, in pixels.
        edge: the longer side, in pixels.
        tile: pixels of the side of a tile.
        bound: pixels that no side is longer than.

    Source: Laurencon et al. 2024, arXiv:2408.12637, section 2.2; transformers, models/idefics3.

    >>> split(768, 1024, 1456, 364, 4096), split(768, 1024, 364, 364, 4096)
    ((3, 4), (0, 0))
    >>> split(768, 1024, 5000, 364, 4096), split(1024, 768, 5000, 364, 4096)
    ((9, 12), (12, 9))
    >>> split(1, 10**6, 900, 9, 700), split(10**6, 1, 900, 1, 700)  # no side falls to nothing
    ((1, 78), (700, 1))
    """
    shape = width / height
    high, wide = (_even(int(edge / shape)), edge) if width >= height else (
        edge, _even(int(edge * shape)))
    if edge > bound:
        high, wide = (max(1, int(bound / (wide / high))), bound) if wide >= high else (
            bound, max(1, int(bound * (wide / high))))
    rows, columns = -(-high // tile), -(-wide // tile)
    return (rows, columns) if max(rows, columns) > 1 else (0, 0)


def _even(length: int) -> int:
    """A length, or the next one where it is odd; at least 1."""
    return max(1, length + length % 2)


def windows(height: int, width: int, picture: int, tile: int, most: int) -> tuple[int, int]:
    """Rows and columns of windows that a picture is looked at in besides as a whole; 0 and 0 where
    that is enough.

    Args:
        height, width: the picture, in pixels.
        picture, tile: pixels of the side of the whole and of a window, as the tower reads them.
        most: pixels that no side is longer than.

    Source: transformers, models/step3p7, _plan_patches.

    >>> windows(768, 1024, 728, 504, 3024), windows(700, 700, 728, 504, 3024)
    ((2, 2), (0, 0))
    """
    if min(height, width) < 32 and max(height, width) > 4 * min(height, width):
        height = width = max(height, width)
    long = max(height, width)
    if long > most:
        height, width = int(height * (most / long)), int(width * (most / long))
    short, long = sorted((height, width))
    if long <= picture:
        window = short if long / short > 1.5 else 0
    else:
        window = min(short, tile) if long > 4 * short else tile
    if not window:
        return 0, 0
    rows, columns = (each // window + (each % window > 0.2 * window) if each >= window else 1
                     for each in (height, width))
    return rows, columns
