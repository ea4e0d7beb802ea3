"""How pictures look: colours that colour-blind readers tell apart, and what stands in for colour.

The palette is Okabe and Ito's (2008, jfly.uni-koeln.de/color), in an order whose greys differ;
every line has a dash and a marker of its own, every area a hatch.
"""

from __future__ import annotations

from typing import Any

#: Colours for lines and edges, in the order in which they are taken.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#7A7A7A")
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (1, 1)), (0, (3, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
#: Fills of areas: light and dark by turns, so that neighbours differ in grey.
FILLS = ("#0072B2", "#F0E442", "#56B4E9", "#D55E00", "#CFCFCF", "#009E73", "#FFFFFF", "#CC79A7")
HATCHES = ("", "///", "--", "\\\\\\", "xx", "", "++", "||")
#: What is written on a fill, so that it can be read.
INK = ("#FFFFFF", "#000000", "#000000", "#FFFFFF", "#000000", "#FFFFFF", "#000000", "#000000")

#: The usual range of widths of a head.
BAND = (64, 128)
#: What kinds of component are called, in the order in which they are drawn.
PARTS = ("embeddings", "attention", "feed-forward", "norms", "head", "other")
#: Sizes of the contours.
LEVELS = (125 * 10**6, 350 * 10**6, 10**9, 3 * 10**9, 7 * 10**9, 13 * 10**9, 30 * 10**9,
          70 * 10**9)

#: What is narrower is drawn for a column: in inches.
NARROW = 4.5

#: What matplotlib is told; the salt makes SVG the same on every run.
RC: dict[str, Any] = {
    "svg.hashsalt": "symparam", "svg.fonttype": "none", "pdf.fonttype": 42,
    "font.family": "sans-serif", "font.size": 9, "axes.titlesize": 10, "axes.labelsize": 9,
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
    "grid.color": "#DDDDDD", "grid.linewidth": 0.6, "axes.axisbelow": True,
    "lines.linewidth": 1.6, "lines.markersize": 4.5, "hatch.linewidth": 0.5,
    "figure.figsize": (6.6, 4.2), "figure.dpi": 150, "savefig.dpi": 150,
    "pgf.texsystem": "pdflatex", "pgf.rcfonts": False,
}


def line(number: int) -> dict[str, Any]:
    """Colour, dash and marker of a line.

    >>> line(0)["marker"], line(8) == line(0)
    ('o', True)
    """
    at = number % len(COLOURS)
    return {"color": COLOURS[at], "linestyle": DASHES[at], "marker": MARKERS[at]}


def area(number: int) -> dict[str, Any]:
    """Fill, hatch and edge of an area."""
    at = number % len(FILLS)
    return {"facecolor": FILLS[at], "hatch": HATCHES[at], "edgecolor": "#333333", "linewidth": 0.6}
