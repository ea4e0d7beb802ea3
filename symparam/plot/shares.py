"""Pictures of what has which share: bars, and a pie."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symparam.notation.numbers import percent, short
from symparam.plot.labels import at_ends, spread
from symparam.plot.style import INK, NARROW, PARTS, area
from symparam.plot.ticks import formatter

#: More bars than this have shorter words.
WIDE_BARS = 7

if TYPE_CHECKING:
    from symparam.plot.picture import Picture


def parts(picture: Picture, axes: Any) -> None:
    """Attention against the feed-forward network, a bar a model."""
    names = picture.column("model")
    attention, ffn = picture.column("attention"), picture.column("feed-forward")
    narrow = axes.figure.get_figwidth() < NARROW  # there is room for shares alone
    for y, (a, f) in enumerate(zip(attention, ffn, strict=True)):
        share = float(Fraction(a) / (a + f))
        bars: tuple[tuple[float, float, Any], ...] = ((0.0, share, a), (share, 1 - share, f))
        for place, (left, width, count) in enumerate(bars):
            axes.barh(y, width, left=left, height=0.62, **area(place))
            apart = "\n" if 0.14 <= width < 0.26 else "  "
            label = f"{100 * width:.1f} %" if narrow else (
                f"{short(round(count))}{apart}({100 * width:.1f} %)")
            if width < (0.2 if narrow else 0.14):  # no room: it stands beside its bar, on the other
                at, side = ((width + 0.01, "left"), (left - 0.01, "right"))[place]
                axes.text(at, y, label, ha=side, va="center", fontsize=7.5,
                          bbox=_plate(1 - place), color=INK[1 - place])
                continue
            axes.text(left + width / 2, y, label, ha="center", va="center", fontsize=7.5,
                      bbox=_plate(place), color=INK[place])
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.grid(False, axis="y")
    axes.set_xlim(0, 1)
    axes.axvline(1 / 3, color="#000000", linewidth=1, linestyle="--")
    axes.text(1 / 3, -0.62, " 1/3" if narrow else "a third", ha="left" if narrow else "center",
              va="bottom", fontsize=8)
    axes.text(0.0, -0.62, "attention", ha="left", va="bottom", fontsize=8, fontweight="bold")
    axes.text(1.0, -0.62, "feed-forward", ha="right", va="bottom", fontsize=8, fontweight="bold")
    axes.set_title(picture.title, loc="left", pad=18)
    axes.xaxis.set_major_formatter(formatter(lambda v: f"{100 * v:.0f} %"))
    axes.set_xlabel("share of a layer's matrices")


def shares(picture: Picture, axes: Any) -> None:
    """The parts of each model, one above the other."""
    groups = list(picture.groups("model"))
    present = [part for part in PARTS if part in set(picture.column("part"))]
    last: dict[str, tuple[float, float]] = {}
    narrow = axes.figure.get_figwidth() < NARROW or len(groups) > WIDE_BARS
    for x, (_, rows) in enumerate(groups):
        base = 0.0
        for row in sorted(rows, key=lambda r: PARTS.index(r["part"])):
            place, height = present.index(row["part"]), float(row["share"])
            axes.bar(x, height, bottom=base, width=0.66, **area(place))
            if height >= 0.045:
                axes.text(x, base + height / 2, f"{100 * height:.{0 if narrow else 1}f}"
                          f"{'' if narrow else ' %'}", ha="center", va="center",
                          fontsize=6.5 if narrow else 7.5, color=INK[place], bbox=_plate(place))
            last[row["part"]] = (x + 0.33, base + height / 2)
            base += height
    turned = 40 if narrow else 0 if len(groups) <= 5 else 20
    axes.set_xticks(range(len(groups)), [name for name, _ in groups], fontsize=8, rotation=turned,
                    **({"ha": "right", "rotation_mode": "anchor"} if turned else {}))
    axes.set_title(picture.title, loc="left", pad=16)
    axes.set_ylim(0, 1)
    axes.grid(False, axis="x")
    axes.yaxis.set_major_formatter(formatter(lambda v: f"{100 * v:.0f} %"))
    axes.set_ylabel("share of all parameters")
    end = len(groups) - 1 + 0.33
    axes.set_xlim(-0.5, end + 0.03)
    at_ends(axes, [(end, last[part][1], part) for part in present if last[part][0] == end])
    for part in present:  # a part that the last model lacks is named where it stands
        edge, y = last[part]
        if edge != end:
            axes.annotate(part, xy=(edge, y), xytext=(2, 0), textcoords="offset points", fontsize=8,
                          va="center", rotation=90)


def _plate(place: int) -> dict[str, Any]:
    """What lies under words on a hatch."""
    return {"facecolor": area(place)["facecolor"], "edgecolor": "none", "pad": 1.0}


def pie(picture: Picture, axes: Any) -> None:
    """The parts of one model."""
    counts = picture.column("parameters")
    wedges, _ = axes.pie(counts, startangle=90, counterclock=False, radius=1.0,
                         wedgeprops={"edgecolor": "#FFFFFF", "linewidth": 0.8})
    sides: dict[bool, list[tuple[float, float, str]]] = {True: [], False: []}
    for i, (wedge, part, count) in enumerate(zip(wedges, picture.column("part"), counts,
                                                 strict=True)):
        style = area(i)
        wedge.set(facecolor=style["facecolor"], hatch=style["hatch"], edgecolor="#333333",
                  linewidth=0.6)
        angle = math.radians((wedge.theta1 + wedge.theta2) / 2)
        text = f"{part}\n{count:,} ({percent(count, sum(counts))})"
        sides[math.cos(angle) >= -1e-9].append((math.cos(angle), math.sin(angle), text))
    for right, labels in sides.items():
        heights = spread([1.15 * y for _, y, _ in labels], 0.3)
        for (x, y, text), height in zip(labels, heights, strict=True):
            axes.annotate(text, xy=(x, y), xytext=(1.25 if right else -1.25, height),
                          ha="left" if right else "right", va="center", fontsize=8,
                          annotation_clip=False, arrowprops={
                              "arrowstyle": "-", "color": "#777777", "linewidth": 0.6,
                              "shrinkA": 2, "shrinkB": 0})
    axes.set_xlim(-2.4, 2.4)
    axes.set_ylim(-1.25, 1.6)
    axes.grid(False)
