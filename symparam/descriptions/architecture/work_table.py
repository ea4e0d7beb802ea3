"""What a traced model multiplies and keeps, from the table ``[work]`` of its file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

from symparam import expression as ex
from symparam.descriptions.architecture.tables_of_traces import (
    assumption,
    check,
    evidence,
    expressions,
    list_of,
)
from symparam.descriptions.reading.source import DataTable, shown
from symparam.traced.records import NOTHING_BUILT, TracedRow, Work, WorkKind, WorkRow
from symparam.traced.worked import S_ENCODER, TIMES, B, S, of_tensors

_KEYS = ("unset", "used", "rows", "checks", "assumptions", "evidence")


def read_work(table: DataTable, names: Mapping[str, str], rows: Sequence[TracedRow]) -> Work:
    """What was found of forward passes.

    Args:
        table: of the file.
        names: what its dims are called.
        rows: its tensors.

    Raises:
        SpecError: what is wrong, with the path into the file.
    """
    table.only_keys(_KEYS)
    if "unset" in table:
        return Work(unset=table.text("unset"))
    for name in (S, B, S_ENCODER):
        if names.get(name, name) != name or name in names.values():
            raise table.error("rows", f"{name} is the number of tokens or sequences here, and a "
                              "dim of this file")
    known = {**names, **{name: name for name in (S, B, S_ENCODER)}}
    return Work(
        tuple(_row(each, known, rows) for each in table.tables("rows")),
        tuple(list_of(table, "used", (str,), [])),
        tuple(check(each, known) for each in (table.tables("checks") if "checks" in table else [])),
        tuple(map(assumption, table.tables("assumptions") if "assumptions" in table else [])),
        evidence(table.table("evidence")) if "evidence" in table else NOTHING_BUILT)


def _row(table: DataTable, names: Mapping[str, str], rows: Sequence[TracedRow]) -> WorkRow:
    kind, pattern = table.text("kind"), table.text("pattern")
    if kind not in get_args(WorkKind):
        raise table.error("kind", f"expected one of {', '.join(get_args(WorkKind))}, found "
                          f"{shown(kind)}")
    table.raw("shape")
    shape = expressions(table, "shape", names)
    if not shape or (kind == "state" and ex.Sym(B) not in shape and not any(
            B in ex.symbols_in(extent) for extent in shape)):
        raise table.error("shape", f"expected the factors of {kind}, with {B} among them")
    row = WorkRow(kind, pattern, shape, expressions(table, "copies", names),  # type: ignore[arg-type]
                  table.text("numbers", ""))
    table.finish()
    if kind == "weight" and not of_tensors(row, rows):
        raise table.error("pattern", f"{shown(pattern)} is no tensor of this file, with {TIMES} "
                          "and a number behind it")
    return row
