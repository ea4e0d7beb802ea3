"""One target: traced, and held against points that the tracer has not seen."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from symparam.traced.records import Trace
from symparam.tracing.sources.target import Target
from tests.traces import Made, Seen, as_taken, points, tensors

#: Seconds of CPU for a trace; for all points of sizes, and for as many of structure too, where
#: there are twenty of each; for a single one of their builds.
TRACE, HELD, PATIENCE = 60.0, 20.0, 10.0
#: What says of no number that it may not be another: it excuses nothing.
NEUTRAL = frozenset({"switch", "range"})
#: What excuses whatever is wrong anywhere.
FOR_ALL = frozenset({"disagrees", "unfinished"})


def by_cpu_time() -> None:
    """Let limits of traces in this process be of its CPU time: other processes are busy too."""
    from symparam.tracing.searching import probing

    probing.CLOCK = probing.CPU


def held_against(target: Target, wanted: int, seconds: float = TRACE) -> dict[str, Any]:
    """A line on a target that builds.

    Args:
        target: what is traced.
        wanted: points of sizes that rows are held against, and as many of structure too.
        seconds: of CPU, for the trace.
    """
    from symparam.tracing import trace

    start = time.process_time()
    found = trace(target, seconds=seconds)
    line: dict[str, Any] = {
        "class": next((n.removeprefix("the class is ") for n in target.notes
                       if n.startswith("the class is ")), ""),
        "cpu": round(time.process_time() - start, 2), "builds": found.evidence.builds,
        "rows": len(found.rows), "kinds": kinds(found),
        "assumptions": [[a.kind, a.text] for a in found.assumptions if a.kind not in NEUTRAL]}
    made = builder(target)
    budget = HELD * wanted / 20
    for name, structure in (("sizes", False), ("together", True)):
        line[name], wrong = compared(found, made, target.name, structure, wanted, budget)
        line.setdefault("wrong", []).extend(wrong)
    return line


def kinds(found: Trace) -> dict[str, int]:
    """How many keys there are of each kind."""
    made: dict[str, int] = {}
    for key in found.keys:
        made[key.kind] = made.get(key.kind, 0) + 1
    return made


def compared(found: Trace, made: Made, seed: str, structure: bool, wanted: int, budget: float
             ) -> tuple[list[int], list[dict[str, Any]]]:
    """Points held against rows: how many, how many of them apart from each other and from where
    the trace began; and what was wrong at some.

    Args:
        found: the trace.
        made: builds a point.
        seed: of the points.
        structure: whether layers are counted otherwise too.
        wanted: points.
        budget: seconds of CPU.
    """
    stop = time.process_time() + budget
    base = {key.name: key.base for key in found.keys if type(key.base) is int}
    count, apart = 0, set()
    wrong: list[dict[str, Any]] = []
    for dims, fault in points(found, made, seed, structure, wanted, tries=20 * wanted):
        count += 1
        moved = {name: n for name, n in dims.items() if n != base[name]}
        apart.add(tuple(sorted(moved.items())))
        if fault:
            wrong.append({"fault": fault, "at": moved, "covered": covered(found, moved)})
        if time.process_time() > stop:
            break
    return [count, len(apart - {()})], wrong


def covered(found: Trace, moved: Mapping[str, int]) -> bool:
    """Whether an assumption that was printed says that the rows need not hold at a point."""
    return any(a.kind in FOR_ALL or (a.kind not in NEUTRAL and moved.keys() & set(a.keys))
               for a in found.assumptions)


def builder(target: Target) -> Made:
    """The tensors that a target builds, read from a state dict."""
    import torch

    from symparam.tracing.searching.probing import TooLong, stopped_after

    def made(values: Mapping[Any, Any]) -> list[Seen]:
        try:
            with torch.device("meta"), stopped_after(PATIENCE):
                return tensors(target.build(as_taken(target.base, values)))
        except TooLong:
            raise ValueError("takes too long") from None
    return made
