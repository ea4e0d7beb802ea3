"""What the rows of a traced file come to at the numbers of its dims: sizes that there can be, and
no tensor twice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from symparam import expression as ex
from symparam.descriptions.reading.source import DataTable, guarded, shown
from symparam.errors import BadValue
from symparam.expression import Rational
from symparam.model import Model
from symparam.resolve import following, whole_number
from symparam.traced.model import reached, share_of
from symparam.traced.records import SIZES, Key, Trace, TracedRow

#: What tells names of one pattern apart, and a number that a star stands for.
_NUMBERED = re.compile(r"\*|[0-9]+")
_INDEX = re.compile(r"0|[1-9][0-9]*")


def refuse_sizes(top: DataTable, trace: Trace, model: Model) -> None:
    """Hold a file's dims and rows against what sizes can be.

    Args:
        top: the file.
        trace: what it holds.
        model: what was made of that.

    Raises:
        SpecError: a dim, an axis or a number of copies that is none, a tensor of two rows.
    """
    dims = _numbers(top, trace, model)
    for i, row in enumerate(trace.rows):
        for place, extent, least in _extents(row, model):
            if dims.keys() >= set(ex.symbols_in(extent)):
                guarded(top, f"tensors[{i}].{place}", partial(_whole, extent, place, dims, least))
    _refuse_in_two(top, trace.rows, dims)


def _numbers(top: DataTable, trace: Trace, model: Model) -> dict[str, Rational]:
    """The numbers of the dims that rows follow, those that follow by a rule among them; sizes that
    nothing follows are held to be sizes too."""
    rules = {eq.dim: eq for eq in trace.equations}
    used = reached((e for row in trace.rows for e in (*row.shape, *row.copies)), rules)
    found: dict[str, Rational] = {
        key.name: _number(top, key, model.least(key.name)) for key in trace.keys
        if (key.kind in SIZES or key.name in used) and key.base is not None and not (
            key.name in rules and isinstance(key.base, (str, bool)))}
    for eq in following(model, found):
        if found.keys() >= set(eq.inputs):
            try:
                found[eq.dim] = eq.value(found)  # type: ignore[arg-type]
            except BadValue:  # (said when a number is asked for: another dim may be given)
                continue
    return found


def _number(top: DataTable, key: Key, least: int) -> Rational:
    """A dim's number: a whole one, or a share that is put in where it stands."""
    share, base = share_of(key), key.base
    if share is not None:
        return share
    stated = top.table("dims").data[key.name]
    place = f"dims.{key.name}.value" if isinstance(stated, dict) else f"dims.{key.name}"
    if isinstance(base, bool) or not isinstance(base, (int, float)) or (
            isinstance(base, float) and not base.is_integer()):
        raise top.error(place, f"must be a whole number, at least {least}, found {shown(base)}")
    return guarded(top, place, lambda: whole_number(key.name, int(base), least))


def _extents(row: TracedRow, model: Model) -> Iterator[tuple[str, ex.Expr, int]]:
    """The axes of a row and its numbers of copies, each with the least that it may be."""
    for j, extent in enumerate(row.shape):
        yield f"shape[{j}]", extent, min(map(model.least, ex.symbols_in(extent)), default=1)
    for j, extent in enumerate(row.copies):
        yield f"copies[{j}]", extent, 0


def _whole(extent: ex.Expr, place: str, dims: Mapping[str, Rational], least: int) -> int:
    said = place.partition("[")[0] if isinstance(extent, ex.Num) else str(extent)
    try:
        return whole_number(said, ex.evaluate(extent, dims), least)
    except ZeroDivisionError:
        raise BadValue(said, "none", "divides by zero here") from None


def _refuse_in_two(top: DataTable, rows: tuple[TracedRow, ...],
                   dims: Mapping[str, Rational]) -> None:
    """A tensor that has a row of its own is none of those that stars stand for."""
    starred: dict[str, dict[tuple[bool, ...], dict[tuple[str, ...], int]]] = {}
    for i, row in enumerate(rows):
        if "*" in row.pattern and not row.numbers and len(row.copies) == row.pattern.count("*"):
            numbers = tuple(_NUMBERED.findall(row.pattern))
            alike = starred.setdefault(_NUMBERED.sub("*", row.pattern), {})
            alike.setdefault(tuple(each == "*" for each in numbers), {})[numbers] = i
    for i, row in enumerate(rows):
        numbers = tuple(_NUMBERED.findall(row.pattern))
        for stars, found in starred.get(_NUMBERED.sub("*", row.pattern), {}).items():
            first = found.get(tuple("*" if star else number for star, number in zip(
                stars, numbers, strict=True)), i)
            if first != i and not row.numbers and _holds(rows[first], row, dims):
                raise top.error(f"tensors[{i}].pattern", f"{shown(row.pattern)} is one of tensors"
                                f"[{first}] too, {shown(rows[first].pattern)}: give it once")


def _holds(many: TracedRow, few: TracedRow, dims: Mapping[str, Rational]) -> bool:
    """Whether stars of a pattern stand for the numbers that another has in their place."""
    if 0 in {*_counts(many.copies, dims), *_counts(few.copies, dims)}:
        return False
    pairs = zip(_NUMBERED.findall(many.pattern), _NUMBERED.findall(few.pattern), strict=True)
    numbers = (number for star, number in pairs if star == "*")
    return all(number == "*" or (count is not None and _INDEX.fullmatch(number) is not None
                                 and int(number) < count)
               for number, count in zip(numbers, _counts(many.copies, dims), strict=True))


def _counts(copies: Iterable[ex.Expr], dims: Mapping[str, Rational]) -> Iterator[Rational | None]:
    for extent in copies:
        known = dims.keys() >= set(ex.symbols_in(extent))
        yield ex.evaluate(extent, dims) if known else None
