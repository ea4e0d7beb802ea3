"""A trace as an architecture file: data, and the same as TOML that a person can read and edit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from symparam.constraints import (
    AtMost,
    Check,
    Compares,
    Differs,
    Divides,
    Equation,
    Standing,
    Sums,
)
from symparam.errors import BadValue
from symparam.grammar import Rule
from symparam.showable import json_text
from symparam.traced.records import Evidence, Key, Trace, TracedRow, Work, WorkRow

#: Checks by the word that a file has for them.
KINDS: dict[str, type[Any]] = {
    "divides": Divides, "sums": Sums, "differs": Differs, "at-most": AtMost,
    "compares": Compares}

_BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
_HEAD = ("# The tensors of {target}, found by building it at points; see docs/trace.md.\n"
         "# It loads without that: symparam count FILE, symparam derive FILE d_model=1024.\n\n")


def data_of(trace: Trace) -> dict[str, Any]:
    """A trace as plain data, in the shape of the file.

    Raises:
        BadValue: a check that a file has no word for.
    """
    e = trace.evidence
    data: dict[str, Any] = {
        "name": trace.name, "target": trace.target,
        "dims": {key.name: _key(key) for key in trace.keys},
        "equations": [_equation(eq) for eq in trace.equations],
        "checks": [_check(check) for check in trace.checks],
        "tensors": [_row(row) for row in trace.rows],
        "assumptions": [{"kind": a.kind, "keys": list(a.keys), "text": a.text}
                        for a in trace.assumptions],
        "evidence": _evidence(e), "work": _work(trace.work)}
    return {key: value for key, value in data.items() if value not in ([], None)}


def _evidence(e: Evidence) -> dict[str, Any]:
    return {"fitted": e.fitted, "held_out": e.held_out, "moved": list(e.moved), "builds": e.builds,
            "seed": e.seed, "digest": e.digest, "versions": dict(e.versions)}


def _work(work: Work | None) -> dict[str, Any] | None:
    """What was found of forward passes; that nothing was, with why."""
    if work is None:
        return None
    if work.unset:
        return {"unset": work.unset}
    data: dict[str, Any] = {
        "used": list(work.used), "rows": list(map(_work_row, work.rows)),
        "checks": [_check(check) for check in work.checks],
        "assumptions": [{"kind": a.kind, "keys": list(a.keys), "text": a.text}
                        for a in work.assumptions],
        "evidence": _evidence(work.evidence)}
    return {key: value for key, value in data.items() if value != []}


def _work_row(row: WorkRow) -> dict[str, Any]:
    found: dict[str, Any] = {"kind": row.kind, "pattern": row.pattern,
                             "shape": [str(e) for e in row.shape]}
    further = {"copies": [str(e) for e in row.copies], "numbers": row.numbers}
    return found | {name: value for name, value in further.items() if value}


def _key(key: Key) -> dict[str, Any]:
    found: dict[str, Any] = {} if key.base is None else {"value": key.base}
    found |= {"path": list(key.path), "kind": key.kind}
    further = {"meaning": key.meaning, "aliases": list(key.aliases)}
    return found | {name: value for name, value in further.items() if value}


def _equation(eq: Equation) -> dict[str, Any]:
    found = {"dim": eq.dim, "rule": str(Rule(eq.expr, eq.rounding)), "reason": eq.reason}
    return found | ({} if eq.standing is Standing.DEFAULT else {"standing": eq.standing.value})


def _check(check: Check) -> dict[str, Any]:
    dims: list[Any]
    match check:
        case Divides(divisor, dividend, reason):
            kind, dims = "divides", [divisor, dividend]
        case Sums(parts, whole, reason):
            kind, dims = "sums", [*parts, whole]
        case Differs(first, second, reason):
            kind, dims = "differs", [first, second]
        case AtMost(less, more, reason):
            kind, dims = "at-most", [less, more]
        case Compares(left, sign, right, reason):
            return {"kind": "compares", "sides": [str(left), str(right)], "sign": sign,
                    "reason": reason}
        case _:
            raise BadValue("a check", str(check), f"a file has {', '.join(KINDS)} alone")
    return {"kind": kind, "dims": dims, "reason": reason}


def _row(row: TracedRow) -> dict[str, Any]:
    found: dict[str, Any] = {"pattern": row.pattern, "shape": [str(e) for e in row.shape]}
    if row.copies:
        found["copies"] = [str(e) for e in row.copies]
    if row.status != "trainable":
        found["status"] = row.status
    further = {"tied_to": row.tied_to, "module": row.module, "numbers": row.numbers,
               "role": row.role}
    return found | {name: value for name, value in further.items() if value}


def toml_of(trace: Trace) -> str:
    """A trace as TOML, which reads back as the same trace.

    Raises:
        BadValue: a check that a file has no word for.
    """
    target = "".join(c if c.isprintable() else "?" for c in trace.target)
    return _HEAD.format(target=target) + "\n".join(_lines(data_of(trace))).strip("\n") + "\n"


def brief_toml_of(trace: Trace) -> str:
    """The same with a line for each key, row, check and assumption, and no meanings of keys."""
    data = data_of(trace)
    below = {key: value for key, value in data.items() if isinstance(value, dict)}
    for key in data["dims"].values():
        key.pop("meaning", None)
    lines = [_HEAD.format(target=trace.target).rstrip("\n"), ""]
    for key, value in data.items():
        if isinstance(value, list):
            lines += ["", f"{key} = [", *(f"    {_value(each)}," for each in value), "]"]
        elif key not in below:
            lines.append(f"{key} = {_value(value)}")
    dims = below.pop("dims").items()
    lines += ["", "[dims]", *(f"{key} = {_value(value)}" for key, value in dims)]
    return "\n".join((*lines, *_lines(below))) + "\n"


def json_of(trace: Trace) -> str:
    """The same as JSON."""
    return json_text(data_of(trace), 1) + "\n"


def _lines(table: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[str]:
    """A table: first what stands in it, then the tables below it."""
    below = {key: value for key, value in table.items() if _is_table(value)}
    yield from (f"{_bare(key)} = {_value(value)}" for key, value in table.items()
                if key not in below)
    for key, value in below.items():
        own = (*path, key)
        title = ".".join(map(_bare, own))
        if isinstance(value, list):
            for each in value:
                yield from ("", f"[[{title}]]", *_lines(each, own))
        elif not value or any(not isinstance(each, dict) for each in value.values()):
            yield from ("", f"[{title}]", *_lines(value, own))
        else:
            yield from _lines(value, own)


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) or (
        isinstance(value, list) and bool(value) and isinstance(value[0], dict))


def _bare(key: str) -> str:
    return key if _BARE.fullmatch(key) else _value(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_bare(key)} = {_value(each)}' for key, each in value.items())}}}"
    return f"[{', '.join(_values(value))}]"


def _values(values: Iterable[Any]) -> Iterator[str]:
    return map(_value, values)
