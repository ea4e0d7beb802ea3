"""Drawing models row by row: their layers in order, and what else is compared of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import groupby
from typing import TYPE_CHECKING, Any

from symparam.arithmetic import decimal
from symparam.notation.numbers import flop_unit, grouped, rounded, short
from symparam.plot.style import HATCHES, NARROW, area
from symparam.plot.ticks import round_bytes
from symparam.quantities import ALIASES, everything

if TYPE_CHECKING:
    from symparam.plot.picture import Picture

#: The height of a row in inches; of what stands above and below the rows, and of a line of words.
_ROW, _AROUND, _LINE = 0.55, 0.75, 0.18
#: How many columns of bars stand beside each other, and how many where it is narrow.
_PANELS, _FEW = 5, 2


def layers(picture: Picture, axes: Any) -> None:
    """The layers of each model from the left: above what mixes tokens, below the network."""
    groups = list(picture.groups("model"))
    places = {kind: i for i, kind in enumerate(
        (column, kind) for column in ("mixing", "network")
        for kind in sorted({*picture.column(column)}, key=_usual_first))}
    deepest = max(_depth(rows) for _, rows in groups)
    for y, (name, rows) in enumerate(groups):
        axes.text(-0.5, y - 0.12, f"{name}, {_depth(rows)} layers", ha="left", va="bottom",
                  fontsize=8)
        for column, top in (("mixing", -0.08), ("network", 0.25)):
            for first, count, kind in _runs(rows, column):
                axes.barh(y + top, count, left=first - 0.5, height=0.3, align="edge",
                          **_fill(kind, places[column, kind]))
                axes.vlines([first - 0.5 + k for k in range(1, count)], y + top, y + top + 0.3,
                            color="#FFFFFF", linewidth=0.5)
    axes.set_yticks([])
    axes.set_xlim(-0.5, deepest - 0.5)
    axes.set_ylim(len(groups) - 0.3, -0.6)
    axes.grid(False)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("layer")
    _legend(axes, places)


def _usual_first(kind: str) -> tuple[bool, bool, str]:
    """The usual kinds have the same fill in every picture."""
    return kind != "full attention", kind != "sliding window", kind


def _depth(rows: list[dict[str, Any]]) -> int:
    return int(rows[-1]["first"] + rows[-1]["layers"])


def _runs(rows: list[dict[str, Any]], column: str) -> Iterator[tuple[int, int, str]]:
    """Runs of layers that are alike in one column: the first, how many, and what they are."""
    for kind, found in groupby(rows, key=lambda row: row[column]):
        run = list(found)
        yield run[0]["first"], sum(row["layers"] for row in run), kind


def _fill(kind: str, place: int) -> dict[str, Any]:
    """How a kind is filled, no two alike; a place with nothing is empty."""
    if kind == "none":
        return {"facecolor": "#FFFFFF", "edgecolor": "#BBBBBB", "linewidth": 0.4}
    again = place // len(HATCHES)
    return {**area(place), **({"hatch": HATCHES[(place + 3 * again) % len(HATCHES)]}
                              if again else {}), "linewidth": 0.4}


def _legend(axes: Any, places: dict[tuple[str, str], int]) -> None:
    """What each fill stands for, below the axis: what mixes tokens, then networks."""
    from matplotlib.patches import Patch

    down = -0.42 / _inches(axes)
    for column, title in (("mixing", "above: what mixes tokens"), ("network", "below: network")):
        names = [kind for at, kind in places if at == column]
        handles = [Patch(label=kind, **_fill(kind, places[column, kind])) for kind in names]
        beside = _in_a_line(axes, names)
        axes.figure.legend(
            handles=handles, loc="upper left", bbox_to_anchor=(0, down), title=title,
            bbox_transform=axes.transAxes, ncols=beside, frameon=False, fontsize=8,
            title_fontsize=8, alignment="left", borderpad=0, handlelength=1.4, columnspacing=1.0,
            labelspacing=0.4, borderaxespad=0)
        down -= _LINE * (1.3 + math.ceil(len(names) / beside)) / _inches(axes)


def _inches(axes: Any) -> float:
    """How high the axes are."""
    return float(axes.get_position().height * axes.figure.get_figheight())


def _in_a_line(axes: Any, names: list[str]) -> int:
    across = axes.get_position().width * axes.figure.get_figwidth()
    longest = max(map(len, names))
    return max(1, min(len(names), int(across / (0.35 + 0.062 * longest))))


def compared(picture: Picture, axes: Any) -> None:
    """A bar for each number: a block of rows for each column, as many beside each other as fit."""
    names = picture.column("model")
    columns = picture.columns[1:]
    beside = panels(len(columns), axes.figure.get_figwidth())
    ticks: list[float] = []
    for k, column in enumerate(columns):
        left, top = k % beside, (k // beside) * (len(names) + _TITLE)
        axes.text(left, top - 0.5, _folded(column), ha="left", va="bottom", fontsize=7.5,
                  fontweight="bold", linespacing=0.95)
        _column(axes, picture.column(column), _written(column), left, top)
        ticks += [top + i for i in range(len(names))] if left == 0 else []
    axes.set_yticks(ticks, [*names] * (len(ticks) // len(names)))
    axes.set_xlim(0, beside)
    axes.set_ylim(max(ticks) + 0.6, -_TITLE)
    axes.set_xticks([])
    axes.grid(False)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.tick_params(axis="y", length=0)


#: The rows that the title of a column takes, and the share of its width that a bar can fill.
_TITLE, _FULL = 2.1, 0.4
#: The longest title that stands in a line.
_LONGEST = 14


def _folded(title: str) -> str:
    """A title in two lines, where it has a place to part and is long.

    >>> _folded("without_embeddings"), _folded("P")
    ('without_\\nembeddings', 'P')
    """
    places = [i for i, letter in enumerate(title, 1) if letter in "_/"]
    if len(title) <= _LONGEST or not places:
        return title
    at = min(places, key=lambda i: abs(2 * i - len(title)))
    return f"{title[:at]}\n{title[at:]}"


def _column(axes: Any, cells: list[Any], written: Callable[[Any], str], left: float,
            top: float) -> None:
    """A column of bars, each with its number; the longest is that of the largest."""
    there = [abs(cell) for cell in cells if not isinstance(cell, str)]
    most = max(there, default=0) or 1
    for i, cell in enumerate(cells):
        width = 0.0 if isinstance(cell, str) else _FULL * float(Fraction(abs(cell)) / most)
        if width:
            axes.barh(top + i, width, left=left, height=0.66, **area(0 if cell > 0 else 3))
        text = cell if isinstance(cell, str) else written(cell)
        axes.text(left + width + 0.03, top + i, text, ha="left", va="center", fontsize=7.5)


def _written(column: str) -> Callable[[Any], str]:
    """How the numbers of a column are written: in the field's units where it is a quantity."""
    quantity = everything().get(ALIASES.get(column, column))
    if quantity is None:
        return lambda value: rounded(value, 3) if isinstance(value, Fraction) else grouped(value)
    return {"B": round_bytes, "FLOP": _flops}.get(quantity.unit, lambda value: short(round(value)))


def _flops(value: Any) -> str:
    unit, name = flop_unit(value)
    return f"{decimal(Fraction(value) / unit, 2)} {name}"


def height(picture: Picture, across: float) -> float | None:
    """How high a picture of rows has to be, in inches; None for other kinds.

    Args:
        picture: what is drawn.
        across: how wide it is.
    """
    names = len(dict.fromkeys(picture.column("model"))) if "model" in picture.columns else 0
    if picture.kind == "layers":
        return _AROUND + _ROW * names
    if picture.kind == "compare":
        columns = len(picture.columns) - 1
        return 0.6 + math.ceil(columns / panels(columns, across)) * (0.36 + 0.19 * names)
    return None


def panels(columns: int, across: float) -> int:
    """How many columns of bars stand beside each other, in lines that are alike.

    >>> panels(6, 6.6), panels(5, 6.6), panels(5, 3.3)
    (3, 5, 2)
    """
    lines = math.ceil(columns / (_PANELS if across >= NARROW else _FEW))
    return math.ceil(columns / lines)
