"""Traces: the ledger of any module, found by building it at points.

Numbers that record their arithmetic pass through a constructor and propose expressions; builds at
other points refute them. A trace is exact for the points' domain and says which that is: what
could not be moved, was proportional everywhere or has no rule is an assumption beside the rows.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from symparam.constraints import Equation
from symparam.errors import BadValue
from symparam.traced.foundation import sealed
from symparam.traced.records import Trace, Work
from symparam.traced.worked import of_tensors
from symparam.tracing.recording.terms import Path, spelled
from symparam.tracing.result import Result, first_build
from symparam.tracing.searching.engine import search
from symparam.tracing.searching.probing import Progress, TraceError
from symparam.tracing.sources.callables import from_callable
from symparam.tracing.sources.target import Target

TIME = "the time that was given was up"

__all__ = ["Interrupted", "Target", "TraceError", "trace"]


class Interrupted(KeyboardInterrupt):
    """A trace that was interrupted.

    Attributes:
        known: what had been found, if it is of use.
        first: what is known of the first build, in words, where it is not.
    """

    def __init__(self, known: Trace | None, first: str = "") -> None:
        super().__init__(*([first] if first else []))
        self.known, self.first = known, first


def trace(build: Callable[..., Any] | Target, *, base: Mapping[str, Any] | None = None,
          hold: Collection[str] = (), points: int = 20, seed: int = 0,
          seconds: float | None = None, progress: Progress | None = None,
          costs: bool = False) -> Trace:
    """Find the ledger of what builds a module.

    Args:
        build: a callable that returns a ``torch.nn.Module`` (or a mapping from names to shapes)
            from keyword numbers, a class, or a :class:`Target`.
        base: values for arguments, where the trace begins; a target has its own.
        hold: keys that are not moved, by their own name or by their dim's.
        points: held-out points, and as many at which structure and sizes are moved together.
        seed: of every drawing.
        seconds: after which no further module is built; what is known then is handed out.
        progress: called with a stage, the steps done and of how many.
        costs: whether forward passes are made too, for what it multiplies and keeps.

    Raises:
        TraceError: the target does not build, or time was up before anything was found.
        BadValue: a key in ``hold`` or ``base`` that the target does not have.
        Interrupted: with what is known, after a KeyboardInterrupt.

    >>> found = trace(lambda dim=512, n=4: {f"h.{i}.w": (4 * dim, dim) for i in range(n)})
    >>> [(row.pattern, [str(axis) for axis in row.shape]) for row in found.rows]
    [('h.*.w', ['4*d_model', 'd_model'])]
    """
    target = build if isinstance(build, Target) else from_callable(build, base or {})
    if isinstance(build, Target) and base:
        target = target.at(base)
    start = time.monotonic()
    finder, stopped = search(target, target.base, held_paths(target, hold), points, seed, seconds,
                             progress)
    if stopped == "interrupted":
        try:
            raise Interrupted(Result(finder, seed, stopped).trace())
        except TraceError:
            raise Interrupted(None, first_build(finder)) from None
    found = Result(finder, seed, stopped).trace()
    if not costs:
        return found
    left = None if seconds is None else seconds - (time.monotonic() - start)
    try:
        work = _worked(finder.prober.target, found.equations, points, seed, left, progress)
    except KeyboardInterrupt:
        known = Work(unset="the forward passes were interrupted")
        raise Interrupted(sealed(replace(found, work=known))) from None
    rows = tuple(row for row in work.rows if row.kind != "weight" or of_tensors(row, found.rows))
    return sealed(replace(found, work=replace(work, rows=rows)))


def _worked(target: Target, rules: Iterable[Equation], points: int, seed: int,
            seconds: float | None, progress: Progress | None) -> Work:
    """What a target multiplies and keeps, or why it is not known."""
    if importlib.util.find_spec("torch") is None:
        return Work(unset="torch is not installed")
    if seconds is not None and seconds <= 0:
        return Work(unset=TIME)
    from symparam.tracing.working.costs import work_of

    return work_of(target, rules, points, seed, seconds, progress)


def held_paths(target: Target, hold: Collection[str]) -> frozenset[Path]:
    """The keys of a target that were asked to be held.

    Raises:
        BadValue: one that it does not have.
    """
    from symparam.tracing.written import dim_names

    names = dim_names(target.base)
    found: set[Path] = set()
    for wanted in hold:
        paths = {p for p in target.base if wanted in (spelled(p), str(p[-1]), names[p])}
        paths = paths or {p for p in target.base if spelled(p).startswith(f"{wanted}.")}
        if any(wanted in (spelled(p), str(p[-1])) for p in target.switches) and not paths:
            raise BadValue("hold", wanted, f"is a switch, which is held anyway: --set {wanted}=... "
                           "sets it")
        if not paths:
            raise BadValue("hold", wanted, f"is no key of {target.text}")
        found |= paths
    return frozenset(found)
