"""The tables of a difference: what is exchanged, matrices, components, steps; their numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from symparam import expression as ex
from symparam.derivation.step import short
from symparam.diff.difference import Difference
from symparam.diff.exchange import dim_changes, exchanges
from symparam.diff.match import Form, Pair, found_by_name, title
from symparam.diff.path import Move, Path
from symparam.dims import PRIME
from symparam.documents.differences.data import side_of
from symparam.errors import the
from symparam.notation.numbers import grouped
from symparam.notation.numbers import short as short_number
from symparam.symbols import SymExpr, from_sympy
from symparam.writers.document import (
    Align,
    Block,
    Cell,
    Column,
    Label,
    Math,
    Paragraph,
    Span,
    Table,
    spans,
)

#: What becomes of a matrix; one of another shape has that one in the line below.
_WORDS = {"same": "unchanged", "dims": "the same, at other dims", "shape": "becomes",
          "removed": "gone", "added": "new", "tied": "now tied: counted above",
          "untied": "no longer tied"}
_NONE = "none"
#: Longer names are no titles of columns of numbers.
LONGEST = 20
#: Larger numbers are rounded in tables.
LARGE = 10**15


def signed(value: int | Fraction) -> str:
    """A change with its sign.

    >>> signed(1234), signed(-1234), signed(0)
    ('+1,234', '−1,234', '0')
    """
    sign = "+" if value > 0 else "−" if value < 0 else ""
    return sign + grouped(max(value, -value))


def large(d: Difference) -> bool:
    """Whether numbers are too long for columns of them."""
    return any(value >= LARGE for value in d.totals or ())


def plain(d: Difference, value: ex.Rational) -> str:
    """A number in a table: exact, or rounded where columns would be too wide."""
    return short_number(int(value)) if large(d) else grouped(value)


def changed(d: Difference, value: ex.Rational) -> str:
    """A change in a table, in the same way."""
    sign = "+" if value > 0 else "−" if value < 0 else ""
    return sign + plain(d, max(value, -value))


def two(d: Difference, align: Align = "left") -> tuple[Column, Column]:
    """A column for each model, under its name where that is short."""
    one, two = short_names(d)
    return Column(one, align), Column(two, align)


def short_names(d: Difference) -> tuple[str, str]:
    """What the models are called above columns of numbers."""
    return d.names if max(map(len, d.names)) <= LONGEST else ("before", "after")


def exchanged(d: Difference) -> list[Block]:
    """Which choices of components differ, and how parts of a traced model were matched."""
    rows = tuple((e.title, e.before or _NONE, e.after or _NONE)
                 for e in exchanges(d.before, d.after))
    columns = (Column("choice"), *two(d))
    blocks: list[Block] = [Table(columns, rows)] if rows else []
    left = [pair for pair in d.pairs if pair.change in {"added", "removed"}]
    if left and found_by_name(d.before, d.after):
        blocks.append(Paragraph(spans(
            "Parts of what was traced are matched by name, then by shape and number of copies; "
            "what is gone and new below may be the same under another name. The sum is exact.")))
    return blocks


def dims(d: Difference) -> list[Block]:
    """The dims that differ, and those that one model takes from the other."""
    rows = tuple((Math(ex.Sym(c.name)), _number(c.before, c.only == "after", c.follows[0]),
                  _number(c.after, c.only == "before", c.follows[1]))
                 for c in dim_changes(d.before, d.after))
    columns = (Column("dim"), *two(d, "right"))
    blocks: list[Block] = [Table(columns, rows)] if rows else []
    for name, side, other in (
            (d.names[0], d.before, d.names[1]), (d.names[1], d.after, d.names[0])):
        if side.taken:
            blocks.append(Paragraph(spans(f"{name} takes from {other}: {', '.join(side.taken)}.")))
    return blocks


def _number(value: int | None, absent: bool, rule: ex.Expr | None) -> Cell:
    """A dim's number, with what it follows where it does not stand for itself."""
    if absent:
        return "—"
    if rule is None:
        return "not given" if value is None else Math(ex.Num(value))
    return Math(rule) if value is None else Math(ex.Num(value), "=", rule)


def matrices(d: Difference) -> Table:
    """What becomes of each matrix, alike ones of a component together."""
    rows: list[tuple[Cell, ...]] = []
    for part in d.parts:
        for i, alike in enumerate(_alike(part.pairs)):
            pair = alike[0]
            own = [_shapes(pair, side) for side in (0, 1) if pair.shapes[side]]
            rows.append((title(part.place) if i == 0 else "", Label(_names(alike)), own[0],
                         _WORDS[pair.change]))
            if pair.change == "shape":
                rows.append(("", "", own[1], ""))
    entry, what = ("entry", "adds") if d.quantity.at_work else ("matrix", "shape")
    columns = (Column("component"), Column(entry), Column(what), Column("what becomes of it"))
    return Table(columns, tuple(rows))


def _alike(pairs: tuple[Pair, ...]) -> list[list[Pair]]:
    """Matrices of one component with which the same happened, and which had the same shape."""
    groups: dict[Any, list[Pair]] = {}
    for pair in pairs:
        key = (pair.change, *(tuple(form.items()) for form in pair.shapes))
        groups.setdefault(key, []).append(pair)
    return list(groups.values())


def _names(pairs: list[Pair]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(short(pair.name) for pair in pairs))


def _shapes(pair: Pair, side: int) -> Cell:
    form = pair.shapes[side]
    counts = [{_unmarked(copies) for copies in each.values()} for each in pair.shapes]
    return _form(form, len(form) > 1 or (pair.change == "shape" and counts[0] != counts[1]))


def _unmarked(expr: SymExpr) -> str:
    """An expression as it is written when no dim bears a mark."""
    return str(from_sympy(expr)).replace(PRIME, "")


def _form(form: Form, with_copies: bool) -> tuple[Span, ...]:
    parts: list[Span] = []
    for shape, copies in form.items():
        parts += ["; "] if parts else []
        if with_copies:
            parts += [Math(side_of(copies)), " of "]
        for i, side in enumerate(map(side_of, shape)):
            is_sum = isinstance(side, ex.Sum) and len(shape) > 1
            parts += [("" if i == 0 else " × ") + "(" * is_sum, Math(side), ")" * is_sum]
    return tuple(part for part in parts if part != "")


def numbers(d: Difference) -> Table:
    """Each component before and after, and the sum."""
    rows: list[tuple[Cell, ...]] = [
        (title(part.place), plain(d, part.before or 0), plain(d, part.after or 0),
         changed(d, part.change or 0)) for part in d.parts]
    first, second = d.totals or (0, 0)
    rows.append(("sum", plain(d, first), plain(d, second), changed(d, second - first)))
    columns = (Column("component"), *two(d, "right"), Column("change", "right"))
    return Table(columns, tuple(rows), total=True)


def steps(d: Difference, moves: list[Move]) -> Table:
    """The way from one model to the other, with what each step adds and what is reached."""
    path = the(Path, d.path)
    one, two = short_names(d)
    rows: list[tuple[Cell, ...]] = [("", one, "", "", "", plain(d, path.start))]
    for number, move in enumerate(moves, 1):
        name: Cell = Math(ex.Sym(move.dim)) if move.dim else "architecture"
        ends = tuple(plain(d, side.values[move.dim]) if side.values[move.dim] >= LARGE
                     else Math(ex.Num(side.values[move.dim])) for side in (d.before, d.after)
                     ) if move.dim else ("", "")
        rows.append((str(number), name, *ends, changed(d, move.adds), plain(d, move.reached)))
    rows.append(("", two, "", "", changed(d, path.change),
                 plain(d, moves[-1].reached)))
    columns = (Column("step"), Column("change"), Column("from", "right"),
               Column("to", "right"), Column("adds", "right"), Column(d.quantity.unit, "right"))
    return Table(columns, tuple(rows), total=True)
