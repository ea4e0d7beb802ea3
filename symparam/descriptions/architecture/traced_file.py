"""A traced model from its architecture file; the schema is in docs/architecture-file.md."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, get_args

from symparam import expression as ex
from symparam.constraints import (
    Equation,
    Standing,
)
from symparam.descriptions.architecture.sizes import refuse_sizes
from symparam.descriptions.architecture.tables_of_traces import (
    assumption,
    check,
    evidence,
    expressions,
    list_of,
)
from symparam.descriptions.architecture.work_table import read_work
from symparam.descriptions.reading.source import DataTable, guarded, shown
from symparam.dims import TOTAL, Names
from symparam.errors import SymparamError
from symparam.grammar import Rule, parse_rule
from symparam.ledger import Status
from symparam.model import Model
from symparam.traced.model import model_of
from symparam.traced.names import declared
from symparam.traced.records import (
    NO_ORDER,
    NOTHING_BUILT,
    Key,
    KeyKind,
    RowRole,
    Trace,
    TracedRow,
)

_TOP = ("name", "target", "dims", "equations", "checks", "tensors", "assumptions", "evidence",
        "work")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)


def tensors_model(where: str, data: Mapping[str, Any], name: str) -> Model:
    """The model that a file with ``[[tensors]]`` states.

    Args:
        where: the file, for messages.
        data: what it holds.
        name: the model's name unless the file has one.

    Raises:
        SpecError: what is wrong, with the path into the file.
    """
    trace = read_trace(where, data, name)
    model = model_of(trace)
    refuse_sizes(DataTable(where, data), trace, model)
    return model


def read_trace(where: str, data: Mapping[str, Any], name: str) -> Trace:
    """The trace that a file holds; as :func:`tensors_model`."""
    top = DataTable(where, data)
    top.only_keys(_TOP)
    keys = tuple(_keys(top.table("dims")))
    listed = top.tables("equations") if "equations" in top else []
    ruled = [_dim(each, "dim") for each in listed]
    names = Names((alias, key.name) for key in keys for alias in declared(key).aliases)
    names |= {dim: dim for dim in (*ruled, *(key.name for key in keys))}
    rows = tuple(_row(each, names) for each in top.tables("tensors"))
    _refuse_twice(top, rows)
    _refuse_loose_ties(top, rows)
    return Trace(
        top.name(name), top.text("target", where), keys,
        tuple(_equation(each, dim, names) for each, dim in zip(listed, ruled, strict=True)),
        tuple(check(each, names) for each in (top.tables("checks") if "checks" in top else [])),
        rows, tuple(assumption(each) for each in (
            top.tables("assumptions") if "assumptions" in top else [])),
        evidence(top.table("evidence")) if "evidence" in top else NOTHING_BUILT,
        read_work(top.table("work"), names, rows) if "work" in top else None)


def _dim(table: DataTable, key: str) -> str:
    return _named(table, key, table.text(key))


def _named(table: DataTable, key: str, name: str) -> str:
    """A name that a dim can have."""
    if not _NAME.fullmatch(name) or name == TOTAL.name or name.startswith(f"{TOTAL.name}_"):
        raise table.error(key, f"{shown(name)} is no name of a dim: letters, digits and _, not P")
    return name


def _keys(table: DataTable) -> list[Key]:
    found = []
    for name, value in table.data.items():
        _named(table, name, name)
        if not isinstance(value, dict):
            found.append(Key(name, (name,), _number(table, name, value), "size"))
            continue
        own = table.table(name)
        base = _number(own, "value", own.raw("value")) if "value" in own else None
        path = list_of(own, "path", (str, int), [name])
        kind = own.text("kind", "size")
        if kind not in get_args(KeyKind):
            raise own.error("kind", f"expected one of {', '.join(get_args(KeyKind))}, found "
                            f"{shown(kind)}")
        found.append(Key(name, tuple(path), base, kind, own.text("meaning", ""),  # type: ignore[arg-type]
                         tuple(list_of(own, "aliases", (str,), []))))
        own.finish()
    return found


def _number(table: DataTable, key: str, value: Any) -> int | float | str | bool:
    if not isinstance(value, (int, float, str)):
        raise table.error(key, f"expected a number, a text, true or false, found {shown(value)}")
    return value


def _row(table: DataTable, names: Mapping[str, str]) -> TracedRow:
    pattern, status = table.text("pattern"), table.text("status", "trainable")
    if status not in get_args(Status):
        raise table.error("status", f"expected one of {', '.join(get_args(Status))}, found "
                          f"{shown(status)}")
    role = table.text("role", "")
    if role not in get_args(RowRole):
        raise table.error("role", f"expected one of {', '.join(filter(None, get_args(RowRole)))}, "
                          f"found {shown(role)}")
    table.raw("shape")
    copies, stars = expressions(table, "copies", names), pattern.count("*")
    if copies and not stars:
        raise table.error("copies", f"{pattern} has no * that numbers copies: put one where their "
                          f"numbers stand ({pattern}.*), or leave copies out")
    if len(copies) not in {min(stars, 1), stars}:
        raise table.error("copies", f"{pattern} has {stars} *: expected a number of copies for "
                          f"{'each, or one for all of them together' if stars > 1 else 'it'}")
    row = TracedRow(pattern, expressions(table, "shape", names), copies, status,  # type: ignore[arg-type]
              table.text("tied_to", None), table.text("module", ""), table.text("numbers", ""),
              role)  # type: ignore[arg-type]
    table.finish()
    return row


def _refuse_twice(top: DataTable, rows: tuple[TracedRow, ...]) -> None:
    """Kinds of layer may have one pattern where they say which numbers are theirs."""
    seen: dict[tuple[str, str], int] = {}
    for i, row in enumerate(rows):
        first = seen.setdefault((row.pattern, row.numbers if "*" in row.pattern else ""), i)
        if first != i and (row.numbers != NO_ORDER or row.shape == rows[first].shape):
            raise top.error(f"tensors[{i}].pattern", f"{shown(row.pattern)} is tensors[{first}] "
                            "too: give it once, or say in numbers which layers each is of")


def _refuse_loose_ties(top: DataTable, rows: tuple[TracedRow, ...]) -> None:
    own: dict[str, list[TracedRow]] = {}
    for row in rows:
        if row.tied_to is None:
            own.setdefault(row.pattern, []).append(row)
    for i, row in enumerate(rows):
        if row.tied_to is None:
            continue
        if row.tied_to not in own:
            raise top.error(f"tensors[{i}].tied_to", f"{shown(row.tied_to)} is no tensor of this "
                            "file that has numbers of its own")
        if not any(_alike(row.shape, first.shape) for first in own[row.tied_to]):
            shape = ", ".join(map(str, own[row.tied_to][0].shape))
            raise top.error(f"tensors[{i}].tied_to", f"{shown(row.tied_to)} has the shape "
                            f"[{shape}]: what shares its numbers has the same")


def _alike(first: tuple[ex.Expr, ...], second: tuple[ex.Expr, ...]) -> bool:
    """Whether two shapes are the same, however they are written: at three points."""
    if first == second:
        return True
    names = sorted({name for expr in (*first, *second) for name in ex.symbols_in(expr)})
    for start in (1009, 2520, 30030):
        dims = {name: start + 7 * place for place, name in enumerate(names)}
        try:
            if [ex.evaluate(e, dims) for e in first] != [ex.evaluate(e, dims) for e in second]:
                return False
        except (SymparamError, ZeroDivisionError):
            return False
    return True


def _equation(table: DataTable, dim: str, names: Mapping[str, str]) -> Equation:
    rule: Rule = guarded(table, "rule", lambda: parse_rule(table.text("rule"), names))
    standing = table.text("standing", Standing.DEFAULT.value)
    if standing not in {each.value for each in Standing}:
        raise table.error("standing", f"expected {', '.join(each.value for each in Standing)}, "
                          f"found {shown(standing)}")
    made = Equation(dim, rule.expr, table.text("reason", "a rule of this file"),
                    Standing(standing), rule.rounding)
    table.finish()
    return made
