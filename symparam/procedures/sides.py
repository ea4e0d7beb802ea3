"""How a side of a picture is brought to a length, or to a number of positions."""

from __future__ import annotations

from math import ceil, floor, sqrt

from symparam.errors import BadValue


def within_area(side: int, other: int, step: int, least: int, most: int) -> int:
    """Steps along a side of a picture whose area is kept between two numbers of pixels.

    Each side goes to the nearest step, halves to the even one; a picture that is then too large or
    too small is scaled, its shape kept.

    Args:
        side, other: the side that is asked for and the other one, in pixels.
        step: pixels of a step.
        least, most: pixels of the whole picture.

    Source: Wang et al. 2024, arXiv:2409.12191, section 2.1; transformers, models/qwen2_vl,
    smart_resize.

    >>> within_area(768, 1024, 28, 3136, 12845056), within_area(1024, 768, 28, 3136, 12845056)
    (27, 37)
    """
    if max(side, other) > 200 * min(side, other):
        raise BadValue("image_height", f"{side} by {other}", "one side of a picture is more than "
                       "200 times the other: none is read that is so long")
    steps = [round(each / step) for each in (side, other)]
    area = steps[0] * steps[1] * step**2
    if area > most:
        return max(1, floor(side / sqrt(side * other / most) / step))
    if area < least:
        return ceil(side * sqrt(least / (side * other)) / step)
    return steps[0]


def filling(side: int, other: int, step: int, most: int) -> int:
    """Positions along a side of a picture that is scaled to fill a number of positions.

    Args:
        side, other: the side that is asked for and the other one, in pixels.
        step: pixels along a side of a position.
        most: positions of the whole picture.

    Source: transformers, models/gemma4, get_aspect_ratio_preserving_size.

    >>> filling(768, 1024, 48, 280), filling(1024, 768, 48, 280), filling(10, 9000, 48, 280)
    (14, 19, 1)
    """
    scale = sqrt(most * step**2 / (side * other))
    own, across = (floor(scale * each / step) for each in (side, other))
    if own == 0:
        return 1
    return own if across else min(side // other, most)


def patches_within(side: int, other: int, patch: int, step: int, most: int, edge: int) -> int:
    """Steps along a side of a picture that has at most so many patches, in all and along a side.

    Args:
        side, other: the side that is asked for and the other one, in pixels.
        patch: pixels of a patch.
        step: pixels of a step; what is left over is filled up.
        most, edge: patches of the whole picture, and along a side.

    Source: transformers, models/kimi_k25, navit_resize.

    >>> patches_within(768, 1024, 14, 28, 16384, 512), patches_within(5000, 5000, 14, 28, 16384, 99)
    (28, 50)
    """
    patches = max(1, side // patch) * max(1, other // patch)
    scale = min(1.0, sqrt(most / patches), edge * patch / side, edge * patch / other)
    return -(-min(max(1, int(side * scale)), edge * patch) // step)


def within_edge(side: int, other: int, edge: int) -> int:
    """Pixels along a side of a picture whose longer side is made no longer than an edge.

    Args:
        side, other: the side that is asked for and the other one, in pixels.
        edge: the longest, in pixels.

    Source: transformers, models/pixtral, get_resize_output_image_size.

    >>> within_edge(768, 2048, 1024), within_edge(768, 1000, 1024)
    (384, 768)
    """
    ratio = max(side / edge, other / edge)
    return floor(side / ratio) if ratio > 1 else side


def within_page(side: int, other: int, along: int, across: int) -> int:
    """Pixels along a side of a picture that is made no larger than a page.

    Args:
        side, other: the side that is asked for and the other one, in pixels.
        along, across: the same sides of the page.

    Source: transformers, models/fuyu, FuyuProcessor.

    >>> within_page(768, 1024, 1080, 1920), within_page(2160, 1024, 1080, 1920)
    (768, 1080)
    """
    return min(int(side * min(along / side, across / other)), side)


def averaged(patches: int, positions: int) -> int:
    """Patches along a side that are averaged into one; more than there are where there are fewer
    than positions, so that none comes out.

    Source: transformers, models/gemma3, Gemma3MultiModalProjector.

    >>> averaged(64, 16), averaged(3, 16)
    (4, 4)
    """
    return patches // positions or patches + 1
