"""Fractions that are whole where a trace begins (``mlp_ratio = 4.0``): moved as whole numbers.

Where tensors follow such a number, it is a key like any other; what the target is handed is a
fraction again, since it may ask for one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from symparam.tracing.recording.proxies import RecordedFloat, RecordedInt
from symparam.tracing.recording.terms import Path
from symparam.tracing.searching.probing import Prober
from symparam.tracing.searching.tables import Table
from symparam.tracing.sources.target import Target


def whole_numbers(prober: Prober, base: Mapping[Path, Any], full: Table,
                  held: Collection[Path]) -> dict[Path, Any]:
    """A base with whole numbers for the fractions that tensors follow; the target takes them.

    Args:
        prober: builds the target; from here on it takes whole numbers for these.
        base: where the trace begins.
        full: the tensors there.
        held: keys that are not moved.
    """
    found = [p for p, v in base.items() if type(v) is float and v >= 1 and v.is_integer()
             and p not in held]
    if not found or prober.table({**base, **{p: base[p] + 1 for p in found}}) == full:
        return dict(base)
    followed = frozenset(p for p in found if _moves(prober, base, full, p))
    if not followed:
        return dict(base)
    made = {p: int(v) if p in followed else v for p, v in base.items()}
    prober.target = taking_wholes(replace(prober.target, base=made), followed)
    return made


def _moves(prober: Prober, base: Mapping[Path, Any], full: Table, path: Path) -> bool:
    """Whether the next whole number of a key brings other tensors."""
    table = prober.table({**base, path: base[path] + 1})
    return table is not None and table != full


def taking_wholes(target: Target, paths: frozenset[Path]) -> Target:
    """A target that is handed fractions where its keys are whole numbers.

    >>> seen = []
    >>> target = taking_wholes(Target("t", "t", lambda values: seen.append(values) or {"w": (8,)},
    ...                               {("ratio",): 4}), frozenset({("ratio",)}))
    >>> _ = target.table({("ratio",): 3})
    >>> seen
    [{('ratio',): 3.0}]
    """
    def handed(values: Mapping[Path, Any]) -> dict[Path, Any]:
        return {p: _fraction(v) if p in paths else v for p, v in values.items()}
    return replace(target, build=lambda values: target.build(handed(values)),
                   derived=lambda values: target.derived(handed(values)))


def _fraction(value: Any) -> Any:
    """A whole number as a float; one that remembers its term goes on doing so."""
    return RecordedFloat(float(value), value.term) if isinstance(
        value, RecordedInt) else float(value)
