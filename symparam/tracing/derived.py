"""Keys that have a rule of their own where they are not given: which one it is."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from symparam import expression as ex
from symparam.constraints import Equation
from symparam.tracing.domain import Domain
from symparam.tracing.draws import chained
from symparam.tracing.fitting import fit
from symparam.tracing.sizes import Sizes
from symparam.tracing.target import Target
from symparam.tracing.terms import Path, key
from symparam.tracing.written import Writing

#: Points that have to be there for a rule to be sought, and such that are drawn besides.
MIN_POINTS, FURTHER = 4, 12


def derived(target: Target, domain: Domain, sizes: Sizes, moved: Collection[Path],
            writing: Writing) -> list[Equation]:
    """The rules that keys have where they are not given.

    Args:
        target: what has such keys.
        domain, sizes: what is known of it.
        moved: the keys that were moved.
        writing: how terms are written.
    """
    if not target.opened:
        return []
    rules = []
    points, values = _where(target, domain, sizes)
    for path in target.opened & set(moved) if len(points) >= MIN_POINTS else ():
        vector = tuple(v[path] for v in values)
        if any(type(x) is not int for x in vector) or len(set(vector)) == 1:
            continue
        leaves = [key(p) for p in target.base if p not in target.opened]
        term = fit([vector], leaves, sizes.pool(), points).get(vector)
        expr = writing.expression(term) if term is not None else None
        if expr is not None and writing.names[path] not in ex.symbols_in(expr):
            rules.append(Equation(writing.names[path], expr, "where it is not given"))
    return rules


def _where(target: Target, domain: Domain, sizes: Sizes
           ) -> tuple[list[Mapping[Path, Any]], list[Mapping[Path, Any]]]:
    """Points, and the values of derived keys that the target has there by itself."""
    points: list[Mapping[Path, Any]] = []
    found: list[Mapping[Path, Any]] = []
    for proposal in [*(v for v, _ in sizes.points),
                     *(domain.drawn(chained) for _ in range(FURTHER))]:
        try:
            values = target.derived(proposal)
        except Exception:  # a rule of the target's own need not hold where keys are given
            continue
        points.append(proposal)
        found.append(values)
    return points, found
