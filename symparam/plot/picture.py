"""A picture before it is drawn: its kind, its words, and the numbers that it shows.

The numbers are exact and stand in one table, which is written beside the picture. What is drawn
is read from that table and from nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from symparam import showable
from symparam.dataclass import dataclass
from symparam.errors import OutputError

#: A cell of the table.
Cell: TypeAlias = int | Fraction | str
#: Values of dims that are axes, by name.
Axes: TypeAlias = Mapping[str, Sequence[int]]


@dataclass(frozen=True)
class Picture:
    """What is to be drawn.

    Attributes:
        kind: ``shapes``, ``depth``, ``heads``, ``cache``, ``parts``, ``shares``, ``pie``,
            ``contours`` or ``flow``.
        title: of the picture.
        columns: names of the columns of its table.
        rows: the numbers, exact.
        remarks: what they rest on, a sentence each.
        best_by: by what a row is the best, where one is.
    """

    kind: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    remarks: tuple[str, ...] = ()
    best_by: str = ""

    def column(self, name: str) -> list[Any]:
        """The cells of a column.

        >>> Picture("heads", "", ("n", "d"), ((1, 2), (3, 4))).column("d")
        [2, 4]
        """
        place = self.columns.index(name)
        return [row[place] for row in self.rows]

    def groups(self, name: str) -> Iterator[tuple[Any, list[dict[str, Any]]]]:
        """The rows with the same value of a column, in order of first appearance."""
        found: dict[Any, list[dict[str, Any]]] = {}
        for row in self.rows:
            here = dict(zip(self.columns, row, strict=True))
            found.setdefault(here[name], []).append(here)
        yield from found.items()

    def render(self, form: str, width: float | None = None, title: bool | None = None) -> bytes:
        """The picture in a format: ``svg``, ``png``, ``pdf`` or ``pgf``; so many centimetres wide.

        Args:
            form: which one.
            width: in centimetres; about 16.8 if None.
            title: whether its title stands above it; not in ``pdf`` and ``pgf`` if None, which
                papers take with a caption.

        Raises:
            OutputError: matplotlib is not installed.
        """
        from symparam.plot.save import render

        return render(self, form, width, title)

    def mermaid(self) -> str:
        """The picture as Mermaid text, if it is a pie or a flowchart."""
        from symparam.plot.mermaid import mermaid

        return mermaid(self)

    def _repr_svg_(self) -> str | None:
        try:
            return None if self.kind == "flow" else self.render("svg").decode()
        except OutputError:  # (no matplotlib: the table is shown)
            return None

    def _repr_markdown_(self) -> str | None:
        """A flowchart as Mermaid; the table where nothing draws. A notebook would take it before
        the drawing."""
        if self.kind == "flow":
            return f"```mermaid\n{self.mermaid()}```\n"
        if self._repr_svg_() is not None:
            return None
        head, *rows = ["| " + " | ".join(
            showable.clean(str(cell)).replace("|", "\\|") for cell in row) + " |"
            for row in (self.columns, *self.rows)]
        return "\n".join([head, "| --- " * len(self.columns) + "|", *rows]) + "\n"

    def csv(self) -> str:
        """The table as comma-separated values; a fraction is a decimal, exact or of 20 digits.

        >>> print(Picture("x", "", ("a", "b"), ((1, "x,y"),)).csv(), end="")
        a,b
        1,"x,y"
        """
        return showable.csv_text([self.columns, *self.rows])
