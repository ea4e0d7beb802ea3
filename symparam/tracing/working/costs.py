"""What a target multiplies and keeps: a search over forward passes, as one over builds is made.

The table of a forward pass has the form of a module's table of tensors; the search that finds
expressions for shapes and rules for copies finds them for products and caches too, and refutes
them at points of its second generator.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from symparam import expression as ex
from symparam.constraints import Check, Compares, Equation
from symparam.traced.known import BINDING
from symparam.traced.records import Assumption, Trace, TracedRow, Work, WorkRow
from symparam.tracing.recording.terms import Path
from symparam.tracing.result import Result
from symparam.tracing.searching.bases import moves
from symparam.tracing.searching.domain import Values
from symparam.tracing.searching.engine import Finder, search
from symparam.tracing.searching.probing import Prober, Progress, TraceError
from symparam.tracing.searching.relations import broken, repaired
from symparam.tracing.searching.rows import disagreements
from symparam.tracing.searching.tables import Table, signature
from symparam.tracing.sources.target import Target
from symparam.tracing.working.calls import CALL, called, following, sizes_of_call
from symparam.tracing.written import dim_names

#: A key of at most this counts something.
MAX_COUNT = 256
#: Assumptions that say that something was not found.
_OPEN = frozenset({"disagrees", "unfinished", "copies"})
#: Why a key is what it is where it is not given.
FOLLOWED = "forward passes were refused with every other number that was tried"
#: Of what a search says of the target, what its trace says already.
_SAID = frozenset({"switch", "unread", "stays"})


def work_of(target: Target, rules: Iterable[Equation], points: int, seed: int,
            seconds: float | None, progress: Progress | None) -> Work:
    """What a target multiplies and keeps; or why it is not known.

    Args:
        target: as it was traced.
        rules: what keys are where they are not given.
        points, seed: as a trace takes them.
        seconds: after which no further forward pass is made.
        progress: called with a stage, the steps done and of how many.

    Raises:
        KeyboardInterrupt: it was interrupted.
    """
    start = time.monotonic()
    try:
        found = _callable(target, list(rules), seconds)
        if isinstance(found, str):
            return Work(unset=found)
        runs, own, followed = found
        left = None if seconds is None else max(1.0, seconds - (time.monotonic() - start))
        finder, stopped = search(runs, runs.base, frozenset(), points, seed, left, _named(progress))
        if stopped == "interrupted":
            raise KeyboardInterrupt
        if stopped:
            return Work(unset=stopped)
        first = finder.prober.table(own)
        if first is None or disagreements(finder.structure.rows, own, first):
            return Work(unset="what was found is not right at the target's own numbers")
        _unneeded(finder, seed)
        return _work(Result(finder, seed, stopped).trace(), runs, followed)
    except TraceError as error:
        return Work(unset=error.problem)


def _named(progress: Progress | None) -> Progress | None:
    """Progress that says of what."""
    if progress is None:
        return None
    return lambda stage, done, of: progress(f"forward passes, {stage}", done, of)


def _callable(target: Target, rules: Sequence[Equation], seconds: float | None
              ) -> tuple[Target, Values, list[Equation]] | str:
    """The target of forward passes, with the target's own numbers and the rules of keys that these
    are not given; or why there is none."""
    sizes: list[dict[Path, int]] = []

    def looked_at(values: Mapping[Path, Any]) -> dict[str, Any]:
        sizes.extend(sizes_of_call(target.build(values)))
        return {}
    prober = Prober(replace(target, build=looked_at), seconds)
    if prober.table(target.base) is None:
        return f"it was not built once more: {prober.problem}"
    if not sizes:
        return "its forward pass takes no input_ids, and nobody says how it is called"
    problem = ""
    for masked in (False, True):
        for each in sizes:
            runs = called(target, each, masked)
            prober = Prober(runs, seconds)
            first = prober.table(runs.base)
            if first:
                left, followed = _without_followers(target, runs, prober, rules)
                if followed:
                    runs = called(left, each, masked)
                    prober = Prober(runs, seconds)
                    first = prober.table(runs.base) or first
                return _apart(runs, prober, first), dict(runs.base), followed
            problem = problem or prober.problem
    return f"a forward pass without numbers is refused: {problem.partition('. ')[0]}"


def _without_followers(target: Target, runs: Target, prober: Prober, rules: Iterable[Equation]
                       ) -> tuple[Target, list[Equation]]:
    """A target without the keys that a forward pass takes only as the target works them out of
    others, though a build takes any: the width of heads where all heads are normed together."""
    names = {name: path for path, name in dim_names(target.base).items()}
    followed: list[Equation] = []
    for rule in rules:
        path = names.get(rule.dim)
        if path in target.opened and all(
                prober.table({**runs.base, path: new}) is None for new in moves(runs.base[path])):
            target = following(target, path)
            followed.append(rule)
    return target, followed


def _apart(runs: Target, prober: Prober, first: Table) -> Target:
    """The same begun where small keys of one number are apart: key-value heads, say, of which there
    are fewer than heads. What is asked where they are equal is then no rule."""
    base = dict(runs.base)
    for path in sorted(base, key=str):
        value = base[path]
        if type(value) is int and 1 < value <= MAX_COUNT and value % 2 == 0 and value in [
                other for p, other in base.items() if p != path]:
            tried = {**base, path: value // 2}
            table = prober.table(tried)
            if table is not None and table != first and signature(table) == signature(first):
                base = tried
    return replace(runs, base=base)


def _unneeded(finder: Finder, seed: int) -> None:
    """Leave out relations that do not hold at points that were accepted and are as rows say,
    wherever the other relations hold; of each a point near the base is tried at which it does
    not."""
    domain, names = finder.domain, dim_names(finder.given)
    for relation in list(domain.needed):
        turned = replace(relation, outcome=not relation.outcome)
        for values in (domain.base, finder.given):
            finder.prober.table(repaired(values, [turned], frozenset()))
    accepted = [(values, table) for values, table in finder.prober.accepted()
                if signature(table) == domain.signature]
    for relation, why in list(domain.needed.items()):
        del domain.needed[relation]
        checks = Result(finder, seed, "").trace().checks
        there = [(v, t) for v, t in accepted if broken([relation], v)
                 and _hold(checks, {names[p]: x for p, x in v.items()})]
        if not there or any(disagreements(finder.structure.rows, v, t) for v, t in there):
            domain.needed[relation] = why


def _hold(checks: Iterable[Check], here: Mapping[str, Any]) -> bool:
    """Whether numbers meet all checks."""
    return all(check.broken({name: here[name] for name in check.dims}) is None for check in checks)


def _work(found: Trace, runs: Target, followed: Iterable[Equation]) -> Work:
    """A trace of forward passes as what it says of the target.

    Args:
        found: that trace.
        runs: what was traced.
        followed: the rules of keys that it was not given.
    """
    said = {name: ex.Sym(str(path[-1])) for path, name in dim_names(runs.base).items()
            if path[0] == CALL}
    names = {name: str(symbol) for name, symbol in said.items()}
    lost = next((each.text for each in found.assumptions if each.kind in _OPEN), "") or next(
        (each.text for each in found.assumptions
         if each.kind in {*BINDING, "tied", "held"} and names.keys() & set(each.keys)), "")
    if lost:
        return Work(unset=_renamed(lost, names))
    rows = tuple(_row(row, said) for row in found.rows if row.module != "used")
    used = tuple(dict.fromkeys(row.pattern for row in found.rows if row.module == "used"))
    checks = (*(Compares(ex.Sym(rule.dim), "=", rule.expr, FOLLOWED) for rule in followed),
              *(check.renamed(names) for check in found.checks))
    evidence = replace(found.evidence, digest="", moved=tuple(
        names.get(name, name) for name in found.evidence.moved))
    return Work(rows, used, checks, tuple(
        Assumption(a.kind, tuple(names.get(k, k) for k in a.keys), _renamed(a.text, names))
        for a in found.assumptions if a.kind not in _SAID), evidence)


def _row(row: TracedRow, said: Mapping[str, ex.Expr]) -> WorkRow:
    return WorkRow(row.module, row.pattern,  # type: ignore[arg-type]
                   tuple(ex.substitute(e, said) for e in row.shape),
                   tuple(ex.substitute(e, said) for e in row.copies), row.numbers)


def _renamed(text: str, names: Mapping[str, str]) -> str:
    """A sentence with the names that a run has for tokens and sequences."""
    for old in sorted(names, key=len, reverse=True):
        text = text.replace(old, names[old])
    return text
