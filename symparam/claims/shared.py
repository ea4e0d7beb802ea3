"""What one change would mend in several rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from symparam.claims.along import Found
from symparam.dataclass import dataclass

if TYPE_CHECKING:
    from symparam.claims.judged import JudgedRow


@dataclass(frozen=True)
class Shared:
    """A change looked at over the rows of a table that were looked into.

    Attributes:
        what: the change, in words or as a dim.
        kind: convention, option or dim.
        rows: names of the rows that it mends.
        of: of how many that were looked into.
        low, high: for a dim, the numbers that mend all of these rows; None where there is none.
    """

    what: str
    kind: str
    rows: tuple[str, ...]
    of: int
    low: int | None = None
    high: int | None = None

    @property
    def mends_all(self) -> bool:
        """Whether one and the same change makes every row true."""
        return len(self.rows) == self.of


def shared(rows: Sequence[JudgedRow]) -> list[Shared]:
    """What one change would mend, over the rows that were looked into."""
    loose = [row for row in rows if row.explained]
    if len(loose) < 2:
        return []
    found = [*_same_option(loose), *_same_dim(loose)]
    return sorted(found, key=lambda each: -len(each.rows))


def _same_option(rows: Sequence[JudgedRow]) -> list[Shared]:
    names: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        for mend in row.mends:
            if mend.kind != "dim":
                names.setdefault((mend.option, mend.kind), []).append(row.name)
    return [Shared(option, kind, tuple(held), len(rows))
            for (option, kind), held in names.items()]


def _same_dim(rows: Sequence[JudgedRow]) -> list[Shared]:
    """Dims that all rows have alike: whether one number of it mends them all."""
    common = {name: value for name, value in rows[0].dims.items()
              if all(row.dims.get(name) == value for row in rows)}
    found = []
    for name in common:
        held = [(row.name, mend.found) for row in rows for mend in row.mends
                if mend.dim == name and mend.found is not None]
        if not held:
            continue
        low = max(each.low for _, each in held)
        high = min(each.high for _, each in held)
        points = sorted({x for _, each in held for x in each.scattered} | {low})
        all_of = [x for x in points if all(each.has(x) for _, each in held)]
        one = bool(all_of)
        if one and any(each.scattered for _, each in held):
            low, high = all_of[0], all_of[-1]
        most = _most(held)
        found.append(Shared(name, "dim", tuple(n for n, _ in held) if one else most, len(rows),
                            low if one else None, high if one else None))
    return found


def _most(held: Sequence[tuple[str, Found]]) -> tuple[str, ...]:
    """The largest set of rows that one number mends."""
    best: tuple[str, ...] = ()
    for point in sorted({x for _, each in held for x in (each.low, *each.scattered)}):
        names = tuple(name for name, each in held if each.has(point))
        best = names if len(names) > len(best) else best
    return best
