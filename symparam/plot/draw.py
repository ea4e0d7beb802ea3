"""Drawing: each kind of picture from its table, with matplotlib."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from textwrap import fill
from typing import TYPE_CHECKING, Any

from symparam.dims import TOTAL
from symparam.notation.numbers import power_of_ten, short
from symparam.plot.draw_rows import compared, layers
from symparam.plot.labels import at_ends, beside, thinned
from symparam.plot.shares import parts, pie, shares
from symparam.plot.style import BAND, LEVELS, NARROW, line
from symparam.plot.ticks import (
    formatter,
    plain_ticks,
    round_bytes,
    round_count,
    round_ticks,
    round_tokens,
)
from symparam.quantities import find
from symparam.showable import clean

if TYPE_CHECKING:
    from symparam.plot.picture import Picture


#: How many letters of a title stand in a line of a column.
LINE = 26


def draw(picture: Picture, axes: Any) -> None:
    """Draw a picture on matplotlib's axes.

    Args:
        picture: any but a flowchart.
        axes: empty ones.
    """
    def plain(text: Any) -> Any:
        return "\n".join(map(clean, text.split("\n"))).replace("$", r"\$") if isinstance(
            text, str) else text

    short = axes.figure.get_figwidth() < NARROW
    title = plain(fill(picture.title, LINE) if short else picture.title)
    picture = replace(picture, title=title,
                      rows=tuple(tuple(map(plain, row)) for row in picture.rows),
                      best_by=plain(picture.best_by))
    axes.set_title(picture.title, loc="left")
    DRAWN[picture.kind](picture, axes)


def _shapes(picture: Picture, axes: Any) -> None:
    depths, widths, counts = (picture.column(name) for name in ("L", "d_model", "P"))
    most = max(counts)
    radii = [max(3.0, 26 * math.sqrt(count / most)) for count in counts]
    for i, (depth, width, radius) in enumerate(zip(depths, widths, radii, strict=True)):
        axes.scatter([depth], [width], s=[math.pi * radius**2], facecolor=line(i)["color"],
                     edgecolor="#000000", linewidth=0.8, alpha=0.55, zorder=3)
    for values, setter, scale in ((depths, axes.set_xlim, axes.set_xscale),
                                  (widths, axes.set_ylim, axes.set_yscale)):
        scale("log", base=2)
        setter(min(values) / 1.7, max(values) * 2.1)
    plain_ticks(axes.xaxis, depths)
    plain_ticks(axes.yaxis, widths)
    axes.set_xlabel("layers L")
    axes.set_ylabel("width d_model")
    thinned(axes.xaxis, axes.yaxis)
    beside(axes, [(x, y, radius, f"{name}\n{short(count)}") for x, y, radius, name, count in zip(
        depths, widths, radii, picture.column("model"), counts, strict=True)])


def _depth(picture: Picture, axes: Any) -> None:
    ends = []
    for i, (width, rows) in enumerate(picture.groups("d_model")):
        x, y = [r["L"] for r in rows], [r[picture.columns[-1]] for r in rows]
        axes.plot(x, y, **line(i))
        ends.append((x[-1], y[-1], f"d_model = {width:,}"))
    axes.set_yscale("log")
    axes.set_xlabel("layers L")
    axes.set_ylabel(_axis_title(picture))
    axes.yaxis.set_major_formatter(formatter(_amount(picture)))
    at_ends(axes, ends)


def _heads(picture: Picture, axes: Any) -> None:
    axes.axhspan(*BAND, facecolor="#E6E6E6", edgecolor="#BBBBBB", hatch="//", linewidth=0,
                 zorder=0)
    narrow = axes.figure.get_figwidth() < NARROW
    for i, (width, rows) in enumerate(picture.groups("d_model")):
        x, y = [r["n_heads"] for r in rows], [r["d_head"] for r in rows]
        axes.plot(x, y, **line(i))
        axes.annotate(f"{width:,}" if i else f"d_model = {width:,}", xy=(x[0], y[0]),
                      xytext=(0 if i else 4 - 6 * narrow, 7), textcoords="offset points",
                      fontsize=8, ha="center" if i else "right", annotation_clip=False)
    axes.set_title(picture.title, loc="left", pad=18)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    counts = picture.column("n_heads")
    axes.set_xlim(min(counts) / 2.5, max(counts) * 1.3)
    plain_ticks(axes.xaxis, [2**k for k in range(9)], within=counts)
    plain_ticks(axes.yaxis, [32, 64, 128, 256])
    axes.set_xlabel("heads n_heads")
    thinned(axes.xaxis)
    axes.set_ylabel("width of a head d_head")
    axes.annotate(f"usual: {BAND[0]} to {BAND[1]}", xy=(0.985, math.sqrt(BAND[0] * BAND[1])),
                  xycoords=axes.get_yaxis_transform(), fontsize=8, ha="right", va="center",
                  bbox={"facecolor": "#FFFFFF", "edgecolor": "none", "pad": 1.5})


def _cache(picture: Picture, axes: Any) -> None:
    ends = []
    for i, (count, rows) in enumerate(picture.groups("n_kv")):
        x, y = [r["s"] for r in rows], [r["kv_cache"] for r in rows]
        axes.plot(x, y, **line(i))
        ends.append((x[-1], y[-1], f"{rows[0]['attention']}, n_kv = {count}\n{round_bytes(y[-1])}"))
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    contexts = sorted(set(picture.column("s")))
    axes.set_xticks(contexts)
    axes.xaxis.set_major_formatter(formatter(round_tokens))
    axes.minorticks_off()
    axes.yaxis.set_major_formatter(formatter(round_bytes))
    axes.set_xlabel("tokens of the sequence s (Ki = 1,024)")
    axes.set_ylabel("cache of one sequence")
    thinned(axes.xaxis)
    at_ends(axes, ends)


def _contours(picture: Picture, axes: Any) -> None:
    depths, widths = sorted(set(picture.column("L"))), sorted(set(picture.column("d_model")))
    here = {(x, y): count for x, y, count in zip(*map(
        picture.column, picture.columns), strict=True)}
    grid = [[math.log10(here[x, y]) if (x, y) in here else math.nan for x in depths]
            for y in widths]
    counts = picture.column(picture.columns[-1])
    levels = [level for level in LEVELS if min(counts) < level < max(counts)]
    axes.set_yscale("log", base=2)
    axes.set_xscale("log", base=2)
    for i, level in enumerate(levels):
        style = line(i)
        found = axes.contour(depths, widths, grid, levels=[math.log10(level)],
                             colors=[style["color"]], linestyles=[style["linestyle"]],
                             linewidths=1.6)
        paths: list[Any] = [path.vertices.tolist() for path in found.get_paths()]
        points: Any = max(paths, key=len, default=[])
        if points:
            x, y = points[len(points) // 2]
            axes.text(x, y, _amount(picture)(level), ha="center", va="center", fontsize=8,
                      bbox={"facecolor": "#FFFFFF", "edgecolor": "none", "pad": 1.2})
    plain_ticks(axes.xaxis, [2**k for k in range(1, 10)], within=depths)
    plain_ticks(axes.yaxis, [2**k for k in range(6, 16)], within=widths)
    axes.set_xlabel("layers L")
    axes.set_ylabel("width d_model")
    thinned(axes.xaxis, axes.yaxis)


def _isoflop(picture: Picture, axes: Any) -> None:
    """Loss against size, a line each compute; tokens where the fit says nothing of a loss."""
    shown = "loss" if "loss" in picture.columns else "D"
    ends = []
    for i, (compute, rows) in enumerate(picture.groups("C")):
        x, y = [r["P"] for r in rows], [float(r[shown]) for r in rows]
        axes.plot(x, y, **line(i))
        at = next(k for k, r in enumerate(rows) if r["best"])
        axes.plot([x[at]], [y[at]], marker="o", markersize=11, markerfacecolor="none",
                  markeredgecolor="#000000", markeredgewidth=1.4, linestyle="none", zorder=4)
        axes.annotate(short(x[at]), xy=(x[at], y[at]), textcoords="offset points", fontsize=8,
                      xytext=(0, -10) if shown == "loss" else (6, 6),
                      ha="center" if shown == "loss" else "left",
                      va="top" if shown == "loss" else "bottom", annotation_clip=False)
        ends.append((x[-1], y[-1], f"{power_of_ten(compute)} FLOP"))
    axes.set_xscale("log")
    axes.margins(y=0.22)
    round_ticks(axes.xaxis, picture.column("P"))
    if shown == "D":
        axes.set_yscale("log")
        round_ticks(axes.yaxis, picture.column("D"))
    said, narrow = f"ring: best by {picture.best_by}", axes.figure.get_figwidth() < NARROW
    axes.set_xlabel(f"parameters P\n{fill(said, (2 if narrow else 4) * LINE)}")
    axes.set_ylabel("loss by the fit" if shown == "loss" else "tokens D")
    thinned(axes.xaxis, axes.yaxis)
    at_ends(axes, ends)


def _over(picture: Picture, axes: Any) -> None:
    across, shown = picture.columns[-2:]
    groups = [("", [dict(zip(picture.columns, row, strict=True)) for row in picture.rows])] if (
        len(picture.columns) == 2) else list(picture.groups(picture.columns[0]))
    ends = []
    for i, (value, rows) in enumerate(groups):
        x, y = [r[across] for r in rows], [float(r[shown]) for r in rows]
        axes.plot(x, y, **line(i))
        label = f"{picture.columns[0]} = {value:,}" if len(picture.columns) > 2 else ""
        ends.append((x[-1], y[-1], label or _amount(picture)(round(y[-1]))))
    xs, ys = picture.column(across), [float(y) for y in picture.column(shown)]
    if max(xs) > 20 * min(xs):
        axes.set_xscale("log", base=2)
        plain_ticks(axes.xaxis, xs)
    else:
        axes.xaxis.set_major_formatter(formatter(lambda value: f"{value:,.6g}"))
    wide = 0 < min(ys) < max(ys) / 20
    if wide:
        axes.set_yscale("log")
    axes.yaxis.set_major_formatter(formatter(_amount(picture)))
    thinned(axes.xaxis, *([] if wide else [axes.yaxis]))
    axes.set_xlabel(across)
    axes.set_ylabel(_axis_title(picture))
    at_ends(axes, ends)


def _axis_title(picture: Picture) -> str:
    """The quantity that a picture shows, as its axis names it."""
    name = picture.columns[-1]
    return "parameters P" if name == TOTAL.name else f"{name} in {find(name).unit}"


def _amount(picture: Picture) -> Callable[[Any], str]:
    """How numbers of that quantity are said."""
    return round_bytes if find(picture.columns[-1]).unit == "B" else round_count


#: How each kind is drawn.
DRAWN: dict[str, Callable[[Picture, Any], None]] = {
    "shapes": _shapes, "depth": _depth, "heads": _heads, "cache": _cache, "parts": parts,
    "shares": shares, "pie": pie, "contours": _contours, "isoflop": _isoflop, "over": _over,
    "layers": layers, "compare": compared}
