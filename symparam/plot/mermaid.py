"""Pictures as Mermaid text, which GitHub and many editors draw: a pie and a flowchart."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from symparam.errors import BadValue
from symparam.showable import mermaid as written

if TYPE_CHECKING:
    from symparam.plot.picture import Picture


def mermaid(picture: Picture) -> str:
    """A picture as Mermaid text.

    Raises:
        BadValue: a picture that Mermaid has no kind for.

    >>> from symparam.plot.picture import Picture
    >>> print(mermaid(Picture("pie", "two", ("part", "parameters"), (("a", 1), ("b", 2)))), end="")
    pie showData
        title two
        "a" : 1
        "b" : 2
    """
    if picture.kind == "pie":
        lines = [f'    "{written(part)}" : {count}' for part, count in zip(
            picture.column("part"), picture.column("parameters"), strict=True)]
        return "\n".join(["pie showData", f"    title {written(picture.title)}", *lines]) + "\n"
    if picture.kind == "flow":
        return _flow(picture)
    raise BadValue("--format", "mermaid", "is for the kinds pie and flow")


def _flow(picture: Picture) -> str:
    """The steps one below the other; what stands inside a step in a box of its own."""
    lines, steps = ["graph TD"], []
    rows = [dict(zip(picture.columns, row, strict=True)) for row in picture.rows]
    for row in rows:
        step = str(row["step"])
        inner = [r for r in rows if str(r["step"]).startswith(f"{step}.")]
        if "." in step:
            continue
        steps.append(f"S{step}")
        text = f"{step}. {written(str(row['what']))}: {row['parameters']:,}"
        if not inner:
            lines.append(f'    S{step}["{text}"]')
            continue
        lines.append(f'    subgraph S{step}["{text}"]')
        names = [f"S{str(r['step']).replace('.', '_')}" for r in inner]
        for name, r in zip(names, inner, strict=True):
            each = " each" if int(r["copies"]) > 1 else ""
            lines.append(f'        {name}["{written(str(r["what"]))}: {r["parameters"]:,}{each}"]')
        lines.append("    end")
    lines += [f"    {a} --> {b}" for a, b in pairwise(steps)]
    return "\n".join(lines) + "\n"
