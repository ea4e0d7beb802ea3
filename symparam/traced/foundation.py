"""What an answer about a traced model rests on, in sentences and as data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from symparam.traced.records import Assumption, Evidence, Key, Row, Trace

UNSET = ("what the model computes was not traced: FLOPs, caches, activations and active parameters "
         "are unset")

#: Assumptions whose keys have to stay where they are, and why.
BINDING = {"pinned": "the trace could move it to no other number",
           "number": "a dim follows it by no rule that was found",
           "existence": "other numbers may be of another case",
           "disagrees": "a fresh point disagreed"}


def digest(rows: Iterable[Row], keys: Iterable[Key] = (),
           assumptions: Iterable[Assumption] = ()) -> str:
    """SHA-256 of rows as they are written, and of the numbers that they hold at alone.

    Args:
        rows: what was found.
        keys: the target's, of which those count that did not move apart.
        assumptions: which name them.
    """
    lines = [f"{r.pattern} [{', '.join(map(str, r.shape))}] x [{', '.join(map(str, r.copies))}] "
             f"{r.status} {r.tied_to or ''} {r.numbers}" for r in rows]
    held = {name for a in assumptions if a.kind in {*BINDING, "tied"} for name in a.keys}
    lines += [f"{key.name} = {key.base}" for key in keys
              if key.name in held or key.kind in {"refused", "held"}]
    import hashlib

    return hashlib.sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest()


def is_edited(trace: Trace) -> bool:
    """Whether rows were changed after the trace, so that its evidence is of others."""
    return trace.evidence.digest not in {"", digest(trace.rows, trace.keys, trace.assumptions)}


def sentences(trace: Trace) -> Iterator[str]:
    """What an answer rests on: how the rows were found, what is assumed, what was not traced."""
    if not trace.evidence.builds:
        yield "the rows were written down, with nothing built to check them"
        yield UNSET
        return
    yield (f"the rows were found by tracing {trace.target}, not proved; steps are proved from "
           "the rows found")
    if is_edited(trace):
        yield "rows were edited after the trace: the evidence is of what was there before"
    yield _evidence(trace.evidence)
    yield from (f"assumed: {assumption.text}" for assumption in trace.assumptions)
    if not trace.assumptions:
        yield "the audit left nothing to assume"
    yield UNSET


def said(traces: Mapping[str, Trace | None]) -> tuple[str, ...]:
    """The sentences on several models, by name; nothing on those that were stated."""
    return tuple(f"{f'{name}: ' if len(traces) > 1 else ''}{sentence}"
                 for name, trace in traces.items() if trace is not None
                 for sentence in sentences(trace))


def _evidence(found: Evidence) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in found.versions.items())
    return (f"fitted to {_several(found.fitted, 'point')}, right at {found.held_out} fresh "
            f"point{'' if found.held_out == 1 else 's'} of a second generator; "
            f"{_several(found.builds, 'module')} built, seed {found.seed}"
            f"{f'; {versions}' if versions else ''}")


def _several(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def rests_on(traces: Mapping[str, Trace | None]) -> dict[str, Any]:
    """The key ``rests_on`` for data, by the names of models; nothing where all were stated."""
    found = {name: _data(trace) for name, trace in traces.items() if trace is not None}
    return {"rests_on": found} if found else {}


def _data(trace: Trace) -> dict[str, Any]:
    e = trace.evidence
    return {
        "rows": "found", "target": trace.target, "edited": is_edited(trace),
        "assumptions": [{"kind": a.kind, "keys": list(a.keys), "text": a.text}
                        for a in trace.assumptions],
        "evidence": {"fitted": e.fitted, "held_out": e.held_out, "builds": e.builds,
                     "seed": e.seed, "versions": dict(e.versions), "digest": e.digest},
        "unset": UNSET,
    }
