"""Whether the rows of a table are counted in different ways: one tied, another untied."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symparam.claims.changes import CONVENTIONS, Mend
from symparam.claims.claim import Claim
from symparam.claims.names import Names
from symparam.claims.verdict import Name, judge
from symparam.dataclass import dataclass
from symparam.descriptions.options import Options, apply
from symparam.errors import SymparamError
from symparam.model import Model
from symparam.quantities.counts import value
from symparam.resolve import numbers

#: Whether the head is tied, as a table says it or not.
TIES = {"--tied": True, "--untied": False}
#: Verdicts under which a number is true as it is counted.
TRUE: frozenset[Name] = frozenset({"exact", "rounds", "truncates"})
#: Of how many rows it is looked for, and into how many ways at most a table falls.
MOST_ROWS, MOST_WAYS = 200, 3


@dataclass(frozen=True)
class Counted:
    """A row as it was judged: its model and claim, its verdict, and what mends it."""

    model: Model
    claim: Claim
    name: str
    verdict: Name
    mends: tuple[Mend, ...]


def split(rows: Sequence[Counted]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The ways of counting that the rows need, each with its rows; empty where one does for all.

    A way is ``--tied``, ``--untied``, the name of a count (``without_input``), or empty: as it is
    said. Rows that no such way makes true are not among them.
    """
    totals = [row for row in rows if row.claim.of_total and row.claim.relation == "="]
    ways = {way for row in totals if row.verdict not in TRUE for way in _mending(row)}
    if not ways or len(totals) > MOST_ROWS:
        return ()
    needs = {i: found for i, row in enumerate(totals) if (found := _true_under(row, ways))}
    if len(needs) < 2 or set.intersection(*needs.values()):
        return ()
    groups: list[tuple[str, tuple[str, ...]]] = []
    while needs:
        best = max(sorted({way for found in needs.values() for way in found}),
                   key=lambda way: sum(way in found for found in needs.values()))
        held = [i for i, found in needs.items() if best in found]
        groups.append((best, tuple(totals[i].name for i in held)))
        needs = {i: found for i, found in needs.items() if i not in held}
    return tuple(groups) if len(groups) <= MOST_WAYS else ()


def _mending(row: Counted) -> set[str]:
    return {mend.option for mend in row.mends if mend.option in {*TIES, *CONVENTIONS}}


def _true_under(row: Counted, ways: Iterable[str]) -> set[str]:
    """The ways under which a row is true."""
    if row.verdict not in TRUE:
        return _mending(row)
    return {"", *(way for way in ways if _holds(row, way))}


def _holds(row: Counted, way: str) -> bool:
    try:
        if way in TIES:
            model = apply(row.model, Options(tied=TIES[way]))
            total = int(model.ledger(numbers(model).values).total())
        else:
            total = int(value(Names(row.model).ledger, way))
    except (SymparamError, KeyError):
        return False
    return judge(total, row.claim.printed).name in TRUE
