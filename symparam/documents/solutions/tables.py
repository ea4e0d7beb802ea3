"""The tables of a solution: configurations, what else they have, and why they stand so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

from symparam import showable
from symparam.arithmetic import decimal
from symparam.expression import Rational
from symparam.notation.numbers import grouped
from symparam.solve import Configuration, Solution
from symparam.solve.published import NEAR_PERCENT
from symparam.solve.requests.goals import Goal
from symparam.writers.dims_in_words import with_dims
from symparam.writers.document import Block, Cell, Column, Items, Paragraph, Table, spans


def per_cent(share: Fraction) -> str:
    """A share in per cent, as short as it can be.

    >>> per_cent(Fraction(1, 100)), per_cent(Fraction(1, 400))
    ('1 %', '0.25 %')
    """
    text = decimal(100 * share, 4)
    return f"{text.rstrip('0').rstrip('.')} %"


#: A column: its title, and its cells.
Named: TypeAlias = tuple[str, list[Cell]]

#: Columns that a table has room for at 80 characters, spaces and all.
ROOM = 78

#: What always stands in the first table; dims besides go to a second one where there are many.
_FIRST = frozenset({"V", "L", "d_model", "d_ff", "heads", "experts", "d_ff/d", "parameters",
                    "error", "near"})


def configuration_tables(configurations: Sequence[Configuration], varying: Sequence[str],
                         lead: Sequence[tuple[str, Sequence[Cell]]] = (),
                         error: bool = True, near: bool = True) -> Iterator[Table]:
    """Configurations, one a row, heads and experts each in one column.

    Args:
        configurations: what to show.
        varying: the dims to show; the others are the same in all.
        lead: columns before them, with their cells; numbers of rows where there are none.
        error: whether it is the number of parameters that is off by the error.
        near: whether the nearest published model is named.

    Returns:
        One table; where it would be too wide, the rest of the dims in others.
    """
    before: list[Named] = [(title, list(cells)) for title, cells in lead] or [
        ("#", [str(i) for i in range(1, len(configurations) + 1)])]
    columns = [c for c in _columns(configurations, varying, error) if near or c[0] != "near"]
    if _room([*before, *columns]) <= ROOM:
        yield _table([*before, *columns])
        return
    yield _table([*before, *(c for c in columns if c[0] in _FIRST)])
    chunk: list[Named] = []
    for column in (c for c in columns if c[0] not in _FIRST):
        if chunk and _room([*before[:1], *chunk, column]) > ROOM:
            yield _table([*before[:1], *chunk])
            chunk = []
        chunk.append(column)
    if chunk:
        yield _table([*before[:1], *chunk])


def _room(columns: Sequence[Named]) -> int:
    return sum(1 + max(len(title), *(len(str(cell)) for cell in cells)) for title, cells in columns)


def _table(columns: Sequence[Named]) -> Table:
    made = tuple(Column(with_dims(title), "left" if title == "near" else "right")
                 for title, _ in columns)
    return Table(made, tuple(zip(*(cells for _, cells in columns), strict=True)))


def _columns(configurations: Sequence[Configuration], varying: Sequence[str],
             error: bool) -> Iterator[Named]:
    first = configurations[0].dims
    heads = {"n_heads", "d_head"} <= set(first)
    experts = {"n_experts", "top_k", "d_expert"} <= set(first)
    hidden = {"n_heads", "d_head"} if heads else set()
    hidden |= {"n_experts", "top_k", "d_expert"} if experts else set()
    if heads or all(c.dims.get("n_kv") == c.dims.get("n_heads") for c in configurations):
        hidden.add("n_kv")
    late = ("n_heads", "d_head", "n_experts", "top_k", "d_expert")
    for name in sorted(varying, key=lambda n: late.index(n) + 1 if n in late else 0):
        if name not in hidden:
            yield name, [str(c.dims[name]) for c in configurations]
    if heads:
        yield "heads", [_heads(c) for c in configurations]
    if experts:
        yield "experts", [_experts(c) for c in configurations]
    if {"d_ff", "d_model"} <= set(first):
        yield "d_ff/d", [ratio_cell(c, "d_ff", "d_model", 2) for c in configurations]
    yield "parameters", [grouped(c.total) for c in configurations]
    if error:
        yield "error", [signed(c.error) for c in configurations]
    if any(c.near for c in configurations):
        yield "near", [c.near or "" for c in configurations]


def nearness(configurations: Sequence[Configuration]) -> Iterator[Block]:
    """What the column of published models says, where there is one."""
    if any(c.near for c in configurations):
        yield Paragraph(spans("near: the published model that is nearest in L and d_model, each "
                              f"within {NEAR_PERCENT} %; nothing else about it is compared."))


def ratio_cell(c: Configuration, top: str, bottom: str, places: int) -> str:
    """One dim over another; with a star where it is not held."""
    star = "*" if f"{top}/{bottom}" in c.not_held else ""
    return f"{decimal(Fraction(c.dims[top], c.dims[bottom]), places)}{star}"


def configurations_csv(rows: Sequence[tuple[Sequence[object], Configuration]],
                       lead: Sequence[str]) -> str:
    """Configurations as comma-separated values, one a row, numbers in full.

    Args:
        rows: what stands before each configuration, and the configuration.
        lead: the titles of what stands before.
    """
    dims = list(dict.fromkeys(dim for _, c in rows for dim in c.dims))
    names = list(dict.fromkeys(name for _, c in rows for name in c.counts if name != "P"))
    return showable.csv_text([
        [*lead, *dims, "P", *names, "relative_error", "not_held"],
        *([*before, *(c.dims.get(dim) for dim in dims), c.total, *(c.counts[n] for n in names),
           float(decimal(c.error, 8)), " ".join(c.not_held)] for before, c in rows)])


def _heads(c: Configuration) -> str:
    """``32×128``; with fewer key-value heads, ``32/8×128``."""
    kv = c.dims.get("n_kv", c.dims["n_heads"])
    return f"{c.dims['n_heads']}{f'/{kv}' if kv != c.dims['n_heads'] else ''}×{c.dims['d_head']}"


def _experts(c: Configuration) -> str:
    """``8/128×768``: eight used, of 128, each 768 wide."""
    star = "*" if "d_expert/d_model" in c.not_held else ""
    return f"{c.dims['top_k']}/{c.dims['n_experts']}×{c.dims['d_expert']}{star}"


def signed(error: Fraction) -> str:
    """A relative error with its sign, in per cent; ``exact`` where there is none."""
    if error == 0:
        return "exact"
    percent = 100 * error
    places = 3 if abs(percent) >= Fraction(1, 1000) else 6
    if abs(percent) < Fraction(1, 10**6):
        return f"{'+' if error > 0 else '−'}<10⁻⁶ %"
    return f"{'+' if error > 0 else ''}{decimal(percent, places)} %".replace("-", "−")


def quantities(s: Solution, lead: Sequence[str] = ()) -> Table:
    """What each configuration has of all that was wanted.

    Args:
        s: the solution.
        lead: dims to show before.
    """
    columns, rows = [Column("#", "right")], [[str(i)] for i in range(1, len(s.configurations) + 1)]
    for dim in lead:
        columns.append(Column(with_dims(dim), "right"))
        for row, found in zip(rows, s.configurations, strict=True):
            row.append(grouped(found.dims[dim]))
    for goal in s.goals:
        columns += [Column(goal.name, "right"), Column("error", "right")]
        for row, found in zip(rows, s.configurations, strict=True):
            row += [grouped(found.counts[goal.name]), _miss(goal, found.counts[goal.name])]
    return Table(tuple(columns), tuple(tuple(row) for row in rows))


def _miss(goal: Goal, count: Rational) -> str:
    if goal.relation == "<=" and count <= goal.value:
        return "within"
    return signed(Fraction(count - goal.value, goal.value))


def ranking(s: Solution) -> Iterator[Block]:
    """What the order rests on: the points that each configuration has for each preference."""
    if not s.met or (len(s.configurations) < 2 and s.goals[0].name != "P"):
        return
    yield Paragraph(spans("Order: by error; errors within the same 0.1 percentage points are ties, "
                          "which the points of the preferences break that a configuration meets, "
                          "then the error itself. Another weight: --weight ffn=3."))
    yield Table((Column("#", "right"), *(Column(with_dims(p.key), "right") for p in s.preferences),
                 Column("points", "right")), tuple(_points(s, i, c) for i, c in enumerate(
                     s.configurations, 1)))
    yield Items(tuple(spans(f"{p.key} ({p.weight}): {p.name}") for p in s.preferences))


def _points(s: Solution, number: int, c: Configuration) -> tuple[Cell, ...]:
    met = [p.name in c.notes or (p.key == "exact" and c.exact) for p in s.preferences]
    cells = [str(p.weight) if yes else "–" for p, yes in zip(s.preferences, met, strict=True)]
    return (str(number), *cells, str(c.score))
