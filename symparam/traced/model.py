"""A model from a trace: its rows as stacks of components, its keys as dims of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import isfinite

from symparam import expression as ex
from symparam.constraints import Check, Compares, Equation
from symparam.errors import SpecError
from symparam.layout import Layout
from symparam.model import Model
from symparam.traced.blocks import stacks_of
from symparam.traced.checks import Fixed, Proportional
from symparam.traced.foundation import BINDING
from symparam.traced.lifted import Lifted, put_in
from symparam.traced.names import declared
from symparam.traced.records import Key, Row, Trace

#: Kinds of key that the rows hold for at one value alone.
_HELD = {"refused": "the trace could move it to no other number", "held": "held by the trace"}


def model_of(trace: Trace) -> Model:
    """The model that a trace found; the numbers of its dims are those of the target.

    Raises:
        SpecError: a row names a dim or a row that the trace does not have.
    """
    floats = {key.name: Fraction(str(key.base)) for key in trace.keys
              if isinstance(key.base, float) and isfinite(key.base) and not key.base.is_integer()}
    rows = tuple(_with_numbers(row, floats) for row in trace.rows)
    equations = tuple(replace(eq, expr=put_in(eq.expr, floats)) for eq in trace.equations)
    _refuse_unknown(trace, rows, equations, floats)
    lifted = Lifted({key.name for key in trace.keys} | {eq.dim for eq in equations}, equations)
    source = f"traced from {trace.target}"
    stacks = stacks_of(rows, lifted, source)
    base = {key.name: int(key.base or 0) for key in trace.keys if _whole(key)}
    ruled = {eq.dim for eq in equations if _gives(eq, base)}
    values = {name: number for name, number in base.items() if name not in ruled}
    return Model(trace.name, stacks, values, (*equations, *lifted.equations),
                 (*_checks(trace, {**floats, **base}), *_below_zero(rows)),
                 Layout("state dict of the module"), source=source,
                 declared=(*(declared(key) for key in trace.keys if key.kind != "switch"),
                           *lifted.dims), trace=trace)


def _with_numbers(row: Row, numbers: Mapping[str, ex.Rational]) -> Row:
    if not numbers:
        return row
    return replace(row, shape=tuple(put_in(e, numbers) for e in row.shape),
                   copies=tuple(put_in(e, numbers) for e in row.copies))


def _whole(key: Key) -> bool:
    """Whether a key's value is a whole number."""
    return (isinstance(key.base, int) and not isinstance(key.base, bool)) or (
        isinstance(key.base, float) and key.base.is_integer())


def _gives(eq: Equation, base: Mapping[str, int]) -> bool:
    """Whether a rule gives the number that the target has, or the target has none."""
    return eq.dim not in base or eq.holds(base) is True


def _below_zero(rows: Iterable[Row]) -> Iterator[Check]:
    """No axis and no number of copies that subtracts falls below zero."""
    for row in rows:
        for extent in (*row.shape, *row.copies):
            if any(ex.negated(term) for each in ex.walk(extent) if isinstance(each, ex.Sum)
                   for term in each.terms):
                yield Compares(ex.Num(0), "<=", extent, f"{row.pattern} has no size below zero")


def _checks(trace: Trace, base: Mapping[str, ex.Rational]) -> Iterator[Check]:
    """What the constructor asserts, and what the probes could not move; what is no whole number
    was not moved either."""
    yield from trace.checks
    held = {name: _HELD["held"] for name, number in base.items() if isinstance(number, Fraction)}
    held |= {key.name: _HELD[key.kind] for key in trace.keys if key.kind in _HELD}
    for assumption in trace.assumptions:
        if assumption.kind in BINDING:
            held |= {name: held.get(name) or BINDING[assumption.kind] for name in assumption.keys}
        elif assumption.kind == "tied":
            for first, second in pairwise(n for n in assumption.keys if base.get(n)):
                yield Proportional(first, second, Fraction(base[first]) / Fraction(base[second]),
                                   "the probes could not tell them apart")
    yield from (Fixed(name, base[name], why) for name, why in held.items() if name in base)


def _refuse_unknown(trace: Trace, rows: tuple[Row, ...], equations: tuple[Equation, ...],
                    floats: Mapping[str, object]) -> None:
    """Raise SpecError for a name that nothing gives."""
    names = {key.name for key in trace.keys} | {eq.dim for eq in equations} | set(floats)
    patterns = {row.pattern for row in rows if row.tied_to is None}
    for number, row in enumerate(rows):
        for expr in (*row.shape, *row.copies):
            for name in ex.symbols_in(expr):
                if name not in names:
                    raise SpecError(trace.name, f"tensors[{number}]", f"{row.pattern} has the dim "
                                    f"{name}, which is none of {', '.join(sorted(names))}")
        if row.tied_to is not None and row.tied_to not in patterns:
            raise SpecError(trace.name, f"tensors[{number}].tied_to",
                            f"{row.tied_to} is no tensor of its own")

