"""What an answer about a traced model rests on, in sentences and as data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from symparam.errors import some
from symparam.renamed import moved
from symparam.traced.known import BINDING
from symparam.traced.records import Assumption, Evidence, Trace
from symparam.traced.tables import tables_of
from symparam.traced.written import data_of

__getattr__ = moved(__name__)  # (``said`` is sentences_of)

UNSET = ("what the model computes was not traced: FLOPs, caches, activations and active parameters "
         "are unset; what only a forward pass refuses was not checked")
_UNSET = "FLOPs, caches, activations and active parameters are unset"

#: Kinds of key that other numbers were seen of.
_MOVED = frozenset({"size", "structure", "inert"})
#: Names of dims in a sentence, at most.
MAX_NAMES = 10


def digest(trace: Trace) -> str:
    """SHA-256 of all that answers rest on: rows, equations, checks, what is assumed, what was
    built, and each key with the number that it is held at, if it is.

    The numbers of keys that moved may be others, and so may the words on what they mean.
    """
    data = data_of(trace)
    held = {name for a in trace.assumptions if a.kind in {*BINDING, "tied"} for name in a.keys}
    for key in trace.keys:
        own = data["dims"][key.name]
        own.pop("meaning", None)
        if key.kind in _MOVED and key.name not in held and not isinstance(key.base, (str, float)):
            own.pop("value", None)
    del data["name"], data["evidence"]["digest"]
    text = json.dumps(data, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def sealed(trace: Trace) -> Trace:
    """The same with the digest of what it says."""
    return replace(trace, evidence=replace(trace.evidence, digest=digest(trace)))


def is_edited(trace: Trace) -> bool:
    """Whether something was changed after the trace, so that its evidence is of another."""
    return trace.evidence.digest not in {"", digest(trace)}


def sentences(trace: Trace) -> Iterator[str]:
    """What an answer rests on: how the rows were found, what is assumed, what was not traced."""
    if not trace.evidence.builds:
        yield "the rows were written down, with nothing built to check them"
        yield from tables_of(trace.rows).sentences()
        yield from _of_work(trace)
        return
    yield (f"the rows were found by tracing {trace.target}, not proved; steps are proved from "
           "the rows found")
    if is_edited(trace):
        yield "it was edited after the trace: the evidence is of what was there before"
    yield _evidence(trace)
    yield from (f"assumed: {assumption.text}" for assumption in trace.assumptions)
    if not trace.assumptions:
        yield "the audit left nothing to assume"
    yield from tables_of(trace.rows).sentences()
    yield from _of_work(trace)


def _of_work(trace: Trace) -> Iterator[str]:
    """How it was found what is multiplied and kept; that it was not, with why."""
    work = trace.work
    if work is None:
        yield UNSET
    elif work.unset:
        yield f"{_UNSET}: {work.unset}"
    elif not work.evidence.builds:
        yield "what is multiplied and kept was written down, with nothing run to check it"
    else:
        yield ("what is multiplied and kept was found by forward passes without numbers, every "
               f"product as torch's counter has it: {_points(work.evidence)}; a window is known "
               "where a cache is bounded by it")
        known = {a.text for a in trace.assumptions}
        yield from (f"assumed of forward passes: {a.text}" for a in work.assumptions
                    if a.text not in known)
        if work.checks:
            yield f"forward passes hold where {'; '.join(map(str, work.checks))}"


def sentences_of(traces: Mapping[str, Trace | None]) -> tuple[str, ...]:
    """The sentences on several models, by name; nothing on those that were stated."""
    return tuple(f"{f'{name}: ' if len(traces) > 1 else ''}{sentence}"
                 for name, trace in traces.items() if trace is not None
                 for sentence in sentences(trace))


def _evidence(trace: Trace) -> str:
    found = trace.evidence
    versions = ", ".join(f"{name} {version}" for name, version in found.versions.items())
    return (f"{_points(found, _varied(trace))}; "
            f"{_several(found.builds, 'module')} built, seed {found.seed}"
            f"{f'; {versions}' if versions else ''}")


def _points(found: Evidence, varied: str = "") -> str:
    """How many points something was fitted to, and at how many it was right."""
    return (f"fitted to {_several(found.fitted, 'point')}, right at {found.held_out} fresh "
            f"point{'' if found.held_out == 1 else 's'} of a second generator{varied}")


def _varied(trace: Trace) -> str:
    """What the points move, and what of that which shapes may follow they do not."""
    moved = trace.evidence.moved
    if not moved:
        return ""
    still = [key.name for key in trace.keys if key.name not in moved and type(key.base) is int
             and key.kind in {"size", "structure", "refused", "held"}]
    apart = f" (not moved: {some(still, MAX_NAMES)})" if still else ""
    return f" that move {some(moved, MAX_NAMES)}{apart}"


def _several(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def rests_on(traces: Mapping[str, Trace | None]) -> dict[str, Any]:
    """The key ``rests_on`` for data, by the names of models; nothing where all were stated."""
    found = {name: _data(trace) for name, trace in traces.items() if trace is not None}
    return {"rests_on": found} if found else {}


def _data(trace: Trace) -> dict[str, Any]:
    tables, work = tables_of(trace.rows), trace.work
    return {
        "rows": "found", "target": trace.target, "edited": is_edited(trace),
        "assumptions": _assumed(trace.assumptions), "evidence": _built(trace.evidence),
        "tables": {"token": list(tables.token), "head": list(tables.head),
                   "positions": list(tables.positions), "untold": tables.untold or None},
        "unset": UNSET if work is None else f"{_UNSET}: {work.unset}" if work.unset else None,
        "work": None if work is None or work.unset else {
            "rows": "found" if work.evidence.builds else "written",
            "holds_where": list(map(str, work.checks)),
            "assumptions": _assumed(work.assumptions), "evidence": _built(work.evidence)},
    }


def _assumed(assumptions: Iterable[Assumption]) -> list[dict[str, Any]]:
    return [{"kind": a.kind, "keys": list(a.keys), "text": a.text} for a in assumptions]


def _built(e: Evidence) -> dict[str, Any]:
    return {"fitted": e.fitted, "held_out": e.held_out, "moved": list(e.moved), "builds": e.builds,
            "seed": e.seed, "versions": dict(e.versions), "digest": e.digest}
