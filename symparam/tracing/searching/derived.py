"""Keys that have a rule of their own where they are not given: which one it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from symparam import expression as ex
from symparam.constraints import Equation
from symparam.tracing.recording.keeping import kept_in
from symparam.tracing.recording.proxies import Recorded, proxy, recording
from symparam.tracing.recording.terms import Path, Term, key, keys_in, whole_value
from symparam.tracing.rules.fitting import fit
from symparam.tracing.searching.domain import Domain
from symparam.tracing.searching.draws import chained, multiples
from symparam.tracing.searching.sizes import Sizes
from symparam.tracing.sources.target import Target
from symparam.tracing.written import Writing

#: Points that have to be there for a rule to be sought, such that are drawn besides, and such that
#: it is held against.
MIN_POINTS, FURTHER, HELD_OUT = 4, 12, 12

Where = list[tuple[Mapping[Path, Any], Mapping[Path, Any]]]


def derived(target: Target, domain: Domain, sizes: Sizes, writing: Writing
            ) -> tuple[list[Equation], list[str]]:
    """The rules that keys have where they are not given, and the dims that follow others by none.

    Args:
        target: what has such keys.
        domain, sizes: what is known of it.
        writing: how terms are written.
    """
    if not target.opened:
        return [], []
    seen = _where(target, [*(v for v, _ in sizes.points), *_drawn(domain, FURTHER)])
    apart = _where(target, _drawn(domain, HELD_OUT))
    computed = _computed(target)
    rules: list[Equation] = []
    loose: list[str] = []
    leaves = [key(p) for p in target.base if p not in target.opened]
    for path in sorted(target.opened, key=str) if len(seen) >= MIN_POINTS else ():
        vector = tuple(values[path] for _, values in seen)
        if len(set(vector)) == 1:
            continue
        expr = _rule(path, seen, apart, leaves, sizes.pool(), writing, computed.get(path))
        name = writing.names[path]
        if expr is None or name in ex.symbols_in(expr):
            loose.append(name)
        else:
            rules.append(Equation(name, expr, "where it is not given"))
    return rules, loose


def _rule(path: Path, seen: Where, apart: Where, leaves: Sequence[Term], pool: Sequence[Term],
          writing: Writing, computed: Term | None) -> ex.Expr | None:
    """The rule of a derived key: what the target computed, else a rule that is the same at all
    points, first over keys beside it; None where none holds elsewhere too."""
    vector = tuple(values[path] for _, values in seen)
    if any(type(x) is not int for x in vector):
        return None
    if computed is not None and all(whole_value(computed, point) == values[path]
                                    for point, values in (*seen, *apart)):
        return writing.expression(computed)
    near = [t for t in leaves if t[1][:-1] == path[:-1]]
    inside = frozenset(t[1] for t in near)
    for chosen, some in ((near, [t for t in pool if keys_in(t) <= inside]), (leaves, pool)):
        term = fit([vector], chosen, some, [point for point, _ in seen]).get(vector)
        if term is not None and all(
                whole_value(term, point) == values[path] for point, values in apart):
            return writing.expression(term)
    return None


def _computed(target: Target) -> dict[Path, Term]:
    """What the target computes derived keys as."""
    with suppress(Exception), kept_in(target.modules), recording():
        found = target.derived({path: proxy(value, path) for path, value in target.base.items()})
        return {path: value.term for path, value in found.items() if isinstance(value, Recorded)}
    return {}


def _drawn(domain: Domain, count: int) -> Iterator[Mapping[Path, Any]]:
    """Points at which keys that nothing follows are moved too: others may be worked out of them."""
    for style in (chained, multiples, chained) * (count // 3):
        still = {p: v for p, v in domain.numbers().items() if domain.kinds.get(p) == "inert"}
        yield {**domain.drawn(style), **style(domain.rng, still)}


def _where(target: Target, proposals: Iterable[Mapping[Path, Any]]) -> Where:
    """Points, and the values of derived keys that the target has there by itself."""
    found: Where = []
    for proposal in proposals:
        with suppress(Exception):  # a rule of the target's own need not hold where keys are given
            found.append((proposal, target.derived(proposal)))
    return found
