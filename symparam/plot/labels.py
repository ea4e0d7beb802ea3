"""Words beside what they name: placed so that none lies over another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any


def spread(places: Sequence[float], gap: float) -> list[float]:
    """Places moved apart as little as they must be, their order kept.

    >>> spread([0.0, 0.1, 5.0], 1.0)
    [-0.45, 0.55, 5.0]
    """
    order = sorted(range(len(places)), key=lambda i: places[i])
    groups: list[list[float]] = []  # each: middle and number of a run of touching labels
    for i in order:
        groups.append([places[i], 1])
        while len(groups) > 1 and groups[-1][0] - groups[-2][0] < gap * (
                groups[-1][1] + groups[-2][1]) / 2:
            middle, count = groups.pop()
            before, more = groups[-1]
            groups[-1] = [(before * more + middle * count) / (more + count), more + count]
    found = [0.0] * len(places)
    left = iter(order)
    for middle, count in groups:
        for k in range(int(count)):
            found[next(left)] = middle + (k - (count - 1) / 2) * gap
    return found


def at_ends(axes: Any, ends: Sequence[tuple[float, float, str]], size: float = 8) -> None:
    """A label right of the end of each line, with a thin line to it where it had to move.

    Args:
        axes: where they are drawn.
        ends: x, y and text of each.
        size: of the letters, in points.
    """
    figure = axes.figure
    figure.canvas.draw()
    to_pixels, points = axes.transData, figure.dpi / 72
    pixels = [to_pixels.transform((x, y)) for x, y, _ in ends]
    right = max(x for x, _ in pixels) + 10 * points
    heights = spread([float(y) for _, y in pixels], size * 1.35 * points)
    for (x, y, text), (px, py), height in zip(ends, pixels, heights, strict=True):
        axes.annotate(text, xy=(x, y), xycoords="data",
                      xytext=((right - px) / points, (height - py) / points),
                      textcoords="offset points", va="center", ha="left", fontsize=size,
                      annotation_clip=False,
                      arrowprops={"arrowstyle": "-", "color": "#999999", "linewidth": 0.5,
                                  "shrinkA": 1, "shrinkB": 3})


#: Where a label may stand beside a point: direction and alignment.
_SIDES = ((1, 0, "left", "center"), (0, 1, "center", "bottom"), (0, -1, "center", "top"),
          (-1, 0, "right", "center"), (0.75, 0.75, "left", "bottom"), (0.75, -0.75, "left", "top"),
          (-0.75, 0.75, "right", "bottom"), (-0.75, -0.75, "right", "top"),
          (0.4, 0.9, "left", "bottom"), (-0.4, 0.9, "right", "bottom"),
          (0.4, -0.9, "left", "top"), (-0.4, -0.9, "right", "top"),
          (0.9, 0.4, "left", "center"), (-0.9, 0.4, "right", "center"),
          (0.9, -0.4, "left", "center"), (-0.9, -0.4, "right", "center"))


def beside(axes: Any, points: Sequence[tuple[float, float, float, str]], size: float = 8) -> None:
    """A label beside each bubble, where it covers neither a bubble nor another label.

    Args:
        axes: where they are drawn.
        points: x, y, radius in points, and text of each.
        size: of the letters, in points.
    """
    from matplotlib.transforms import Bbox

    figure = axes.figure
    figure.canvas.draw()
    renderer, scale = figure.canvas.get_renderer(), figure.dpi / 72
    frame = figure.bbox
    middles = [axes.transData.transform((x, y)) for x, y, _, _ in points]
    taken = [Bbox.from_extents(px - r * scale, py - r * scale, px + r * scale, py + r * scale)
             for (px, py), (_, _, r, _) in zip(middles, points, strict=True)]
    taken += [each.get_window_extent(renderer) for each in (axes._left_title, axes.title)
              if each.get_text()]
    for i, (x, y, radius, text) in enumerate(points):
        tried: list[Any] = []
        for far in (3, 12, 24, 40, 60):
            for dx, dy, ha, va in _SIDES:
                label = axes.annotate(
                    text, xy=(x, y), xytext=(dx * (radius + far), dy * (radius + far)),
                    textcoords="offset points", ha=ha, va=va, fontsize=size,
                    annotation_clip=False)
                box = label.get_window_extent(renderer)
                label.remove()
                outside = not (axes.bbox.x0 <= box.x0 and box.x1 <= frame.x1
                               and frame.y0 <= box.y0 and box.y1 <= frame.y1)
                covers = sum(box.overlaps(other) for k, other in enumerate(taken) if k != i)
                astray = _astray(box, i, taken[:len(points)])
                tried.append((2 * covers + 4 * outside + astray, far, len(tried), dx, dy, ha, va,
                              box))
        _, far, _, dx, dy, ha, va, box = min(tried, key=lambda t: t[:3])
        axes.annotate(text, xy=(x, y), xytext=(dx * (radius + far), dy * (radius + far)),
                      textcoords="offset points", ha=ha, va=va, fontsize=size,
                      annotation_clip=False, arrowprops={
                          "arrowstyle": "-", "color": "#999999", "linewidth": 0.5,
                          "shrinkA": 0, "shrinkB": radius} if far > 3 else None)
        taken.append(box)


def _astray(box: Any, own: int, bubbles: Sequence[Any]) -> bool:
    """Whether a label stands nearer to another bubble than to its own."""
    def gap(bubble: Any) -> float:
        x, y = (bubble.x0 + bubble.x1) / 2, (bubble.y0 + bubble.y1) / 2
        away: float = math.hypot(max(box.x0 - x, x - box.x1, 0), max(box.y0 - y, y - box.y1, 0))
        return away - float(bubble.width) / 2

    mine = gap(bubbles[own])
    return any(gap(b) < 0.7 * mine for k, b in enumerate(bubbles) if k != own)


def thinned(*axes: Any) -> None:
    """Leave out the numbers of ticks that have no room; the ticks stay.

    Args:
        *axes: axes of numbers.
    """
    from matplotlib.ticker import FixedLocator, NullFormatter

    for axis in axes:
        kept, left = _with_room(axis)
        axis.set_major_locator(FixedLocator(kept))
        axis.set_minor_locator(FixedLocator(left))
        axis.set_minor_formatter(NullFormatter())


def _with_room(axis: Any) -> tuple[list[float], list[float]]:
    """The places of ticks whose numbers stand apart, and those of the others."""
    figure = axis.figure
    figure.canvas.draw()
    renderer, end = figure.canvas.get_renderer(), None
    kept: list[float] = []
    left: list[float] = []
    low, high = sorted(axis.get_view_interval())
    for tick in axis.get_major_ticks():
        place = float(tick.get_loc())
        if not low <= place <= high:
            continue
        box = tick.label1.get_window_extent(renderer)
        start, stop = (box.x0 - 4, box.x1) if axis.axis_name == "x" else (box.y0, box.y1)
        if end is None or start >= end:
            kept.append(place)
            end = stop
        else:
            left.append(place)
    return kept, left
