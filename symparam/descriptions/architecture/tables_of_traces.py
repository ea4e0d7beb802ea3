"""Pieces that the tables of a traced file share: lists, expressions, checks, what was built."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symparam import expression as ex
from symparam.constraints import SIGNS, AtMost, Check, Compares, Differs, Divides, Sums
from symparam.descriptions.reading.source import DataTable, guarded, shown
from symparam.grammar import parse_expression
from symparam.traced.records import Assumption, Evidence

CHECKS = ("divides", "sums", "differs", "at-most", "compares")


def list_of(table: DataTable, key: str, kinds: tuple[type, ...], default: list[Any]) -> list[Any]:
    """A list of texts, or of texts and whole numbers."""
    value = table.raw(key, default)
    if not isinstance(value, list) or not all(
            isinstance(each, kinds) and not isinstance(each, bool) for each in value):
        words = " or ".join({str: "text", int: "whole numbers"}[kind] for kind in kinds)
        raise table.error(key, f"expected a list of {words}, found {shown(value)}")
    return value


def expressions(table: DataTable, key: str, names: Mapping[str, str]) -> tuple[ex.Expr, ...]:
    """A list of expressions, each a text or a whole number."""
    found: list[ex.Expr] = []
    for i, value in enumerate(list_of(table, key, (str, int), [])):
        place = f"{key}[{i}]"
        expr = ex.Num(value) if isinstance(value, int) else guarded(
            table, place, lambda value=value: parse_expression(value, names))  # type: ignore[misc]
        for name in ex.symbols_in(expr):
            if name not in names:
                raise table.error(place, f"{name} is no dim of this file: give it in [dims]")
        found.append(expr)
    return tuple(found)


def check(table: DataTable, names: Mapping[str, str]) -> Check:
    """A relation that numbers must meet."""
    kind, reason = table.text("kind"), table.text("reason", "stated by this file")
    if kind == "compares":
        return _comparison(table, reason, names)
    dims = list_of(table, "dims", (str, int), [])
    table.finish()
    for i, dim in enumerate(dims):
        if isinstance(dim, str) and dim not in names:
            raise table.error(f"dims[{i}]", f"{shown(dim)} is no dim of this file")
    texts = all(isinstance(dim, str) for dim in dims)
    if kind == "sums" and texts and len(dims) > 1:
        return Sums(tuple(dims[:-1]), dims[-1], reason)
    if kind == "divides" and len(dims) == 2 and isinstance(dims[1], str):
        return Divides(dims[0], dims[1], reason)
    if kind in {"differs", "at-most"} and texts and len(dims) == 2:
        return (Differs if kind == "differs" else AtMost)(dims[0], dims[1], reason)
    if kind not in CHECKS:
        raise table.error("kind", f"expected one of {', '.join(CHECKS)}, found {shown(kind)}")
    raise table.error("dims", f"{kind} takes {'parts and their sum' if kind == 'sums' else 'two'}")


def _comparison(table: DataTable, reason: str, names: Mapping[str, str]) -> Check:
    sides, sign = expressions(table, "sides", names), table.text("sign")
    table.finish()
    if len(sides) != 2:
        raise table.error("sides", "compares takes two")
    if sign not in SIGNS:
        raise table.error("sign", f"expected one of {', '.join(SIGNS)}, found {shown(sign)}")
    return Compares(sides[0], sign, sides[1], reason)


def assumption(table: DataTable) -> Assumption:
    """What is assumed, with the sentence that says so."""
    made = Assumption(table.text("kind"), tuple(list_of(table, "keys", (str,), [])),
                      table.text("text"))
    table.finish()
    return made


def evidence(table: DataTable) -> Evidence:
    """What was built."""
    versions = table.table("versions", {})
    fitted, held_out, builds, seed = (
        table.integer(name, 0) for name in ("fitted", "held_out", "builds", "seed"))
    made = Evidence(fitted, held_out, builds, seed,
                    {name: versions.text(name) for name in versions.data}, table.text("digest", ""),
                    tuple(list_of(table, "moved", (str,), [])))
    table.finish()
    return made
