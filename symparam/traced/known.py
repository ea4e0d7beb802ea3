"""What is known of what a traced model multiplies and keeps, and at which numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

from symparam import expression as ex
from symparam.constraints import Check, Compares
from symparam.errors import some
from symparam.polynomial import Polynomial
from symparam.traced.checks import Fixed, Proportional
from symparam.traced.component import FoundComponent
from symparam.traced.exact import Exact, Settled
from symparam.traced.parts import parts_of
from symparam.traced.records import Assumption, Trace

#: Assumptions whose keys have to stay where they are, and why.
BINDING = {"pinned": "the trace could move it to no other number",
           "number": "a dim follows it by no rule that was found",
           "existence": "other numbers may be of another case",
           "disagrees": "a fresh point disagreed"}
#: Patterns of which it is said that nobody knows their cost, at most.
MAX_SAID = 3


def bounds(assumptions: Iterable[Assumption], base: Mapping[str, ex.Rational],
           held: Mapping[str, str]) -> Iterator[Check]:
    """What has to stay as it was in a search, as checks.

    Args:
        assumptions: what the search could not show.
        base: the numbers where it began.
        held: dims that were not moved, with why.
    """
    fixed = dict(held)
    for assumption in assumptions:
        if assumption.kind in BINDING:
            fixed |= {name: fixed.get(name) or BINDING[assumption.kind]
                      for name in assumption.keys}
        elif assumption.kind == "tied":
            for first, second in pairwise(n for n in assumption.keys if base.get(n)):
                yield Proportional(first, second, Fraction(base[first]) / Fraction(base[second]),
                                   "the probes could not tell them apart")
    yield from (Fixed(name, base[name], why) for name, why in fixed.items() if name in base)


def unset(trace: Trace, placed: Iterable[tuple[str, Any]]) -> str:
    """Why nobody knows what a traced model multiplies and keeps; empty where it is known.

    Args:
        trace: what it was found by.
        placed: what names of its blocks begin with, each with a component.
    """
    if trace.work is None:
        return "was traced from its weights; what it does with them is not known"
    if trace.work.unset:
        return f"was traced, and what it does with its weights was not found: {trace.work.unset}"
    why: dict[str, list[str]] = {}
    for prefix, component in placed:
        if isinstance(component, FoundComponent):
            for reason, name in component.listing.unknown():
                why.setdefault(reason, []).append(prefix + name)
    if not why:
        return ""
    parts = parts_of(trace)
    without = {parts.of(name) for names in why.values() for name in names}
    known = [part for part in parts.rows if part not in without]
    return "was traced, and of some of it the cost is not known: " + "; ".join(
        f"{reason} ({some(names, MAX_SAID)})" for reason, names in why.items()) + (
        f"; of {', '.join(known)} it is: --part {known[0]}" if known else "")


def checks_of(trace: Trace) -> tuple[Check, ...]:
    """Where what a trace found of work holds."""
    if trace.work is None:
        return ()
    base = {key.name: key.base for key in trace.keys if type(key.base) is int}
    held = {name: "forward passes were made with no other number"
            for a in trace.work.assumptions if a.kind == "held" for name in a.keys}
    return (*trace.work.checks, *bounds(trace.work.assumptions, base, held))


def settled(trace: Trace) -> Settled:
    """What holds of the dims of a trace wherever forward passes were made."""
    found: dict[str, ex.Expr] = {}
    even: set[ex.Expr] = set()
    for check in checks_of(trace):
        name, said = _equal(check)
        even |= {part for part in ex.walk(said) if isinstance(part, ex.Whole) and Exact(
            {part}).polynomial(said) == Polynomial.named(name)}  # a = b*down(a/b): b divides a
        said = ex.substitute(said, found)
        if name and name not in (*found, *ex.symbols_in(said)):
            found = {n: ex.substitute(e, {name: said}) for n, e in found.items()} | {name: said}
    return Settled(found, frozenset(even))


def _equal(check: Check) -> tuple[str, ex.Expr]:
    """The dim that a check says by others, and what it says; no name where it says none."""
    match check:
        case Fixed(dim, number):
            return dim, ex.Num(number)
        case Proportional(first, second, ratio):
            return first, ex.product_of(ex.Num(ratio), ex.Sym(second))
        case Compares(ex.Sym(name), "=", said) | Compares(said, "=", ex.Sym(name)):
            return name, said
    return "", ex.Num(0)


def beyond(checks: Iterable[Check], values: Mapping[str, Any]) -> str:
    """Why numbers lie outside of where work was found; empty where they do not, or are none."""
    for check in checks:
        here = {name: values.get(name) for name in check.dims}
        if all(type(number) is int for number in here.values()) and (
                check.broken(here) is not None):  # type: ignore[arg-type]
            numbers = ", ".join(f"{name} = {number}" for name, number in here.items())
            return (f"was traced, and what it does with its weights was found where {check}, which "
                    f"{numbers} is not: trace again with these numbers")
    return ""
