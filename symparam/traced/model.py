"""A model from a trace: its rows as stacks of components, its keys as dims of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from math import isfinite

from symparam import expression as ex
from symparam.constraints import Check, Compares, Divides, Equation
from symparam.errors import SpecError
from symparam.layout import Layout
from symparam.model import Model
from symparam.stack import Stack
from symparam.traced.blocks import stacks_of
from symparam.traced.component import FoundComponent
from symparam.traced.known import bounds, settled
from symparam.traced.lifted import Lifted, put_in
from symparam.traced.names import declared
from symparam.traced.parts import parts_of
from symparam.traced.records import SIZES, Key, Trace, TracedRow

#: Kinds of key that the rows hold for at one value alone.
_HELD = {"refused": "the trace could move it to no other number", "held": "held by the trace"}


def model_of(trace: Trace) -> Model:
    """The model that a trace found; the numbers of its dims are those of the target.

    Raises:
        SpecError: a row names a dim or a row that the trace does not have.
    """
    floats = {key.name: share for key in trace.keys if (share := share_of(key)) is not None}
    rows = tuple(_with_numbers(row, floats) for row in trace.rows)
    equations = tuple(replace(eq, expr=put_in(eq.expr, floats)) for eq in trace.equations)
    _refuse_unknown(trace, rows, equations, floats)
    lifted = Lifted({key.name for key in trace.keys} | {eq.dim for eq in equations}, equations)
    source = f"traced from {trace.target}"
    stacks = stacks_of(rows, lifted, source, trace.work if _is_known(trace) else None,
                       parts_of(trace), settled(trace) if _is_known(trace) else None)
    base = {key.name: int(key.base or 0) for key in trace.keys if _whole(key)}
    ruled = {eq.dim for eq in equations if _gives(eq, base)}
    values = {name: number for name, number in base.items() if name not in ruled}
    return Model(trace.name, stacks, values, (*equations, *lifted.equations),
                 (*_checks(trace, {**floats, **base}), *_below_zero(rows)),
                 Layout("state dict of the module"), source=source,
                 declared=(*(declared(key) for key in trace.keys if key.kind != "switch"),
                           *lifted.dims), trace=trace,
                 zeros=_zeros(trace, stacks, (*equations, *lifted.equations)))


def _is_known(trace: Trace) -> bool:
    """Whether it was found what it multiplies and keeps."""
    return trace.work is not None and not trace.work.unset


def _with_numbers(row: TracedRow, numbers: Mapping[str, ex.Rational]) -> TracedRow:
    if not numbers:
        return row
    return replace(row, shape=tuple(put_in(e, numbers) for e in row.shape),
                   copies=tuple(put_in(e, numbers) for e in row.copies))


def _zeros(trace: Trace, stacks: Iterable[Stack], equations: Iterable[Equation]) -> frozenset[str]:
    """The dims that may be 0: those that count tensors and are in no shape and below no line, and
    keys that are no sizes and 0 where the trace began, or that nothing follows."""
    made = [slot.component for stack in stacks for slot in stack.slots]
    listed = [row for c in made if isinstance(c, FoundComponent) for row in c.listing.rows]
    rules = {eq.dim: eq for eq in equations}
    expressions = [eq.expr for eq in rules.values()]
    counts = [stack.repeat.stored for stack in stacks if stack.repeat is not None]
    counts += [count for row in listed for _, count in row.inner]
    below = [part.bottom for expr in expressions for part in ex.walk(expr)
             if isinstance(part, ex.Quotient)]
    kept = reached([*below, *(extent for row in listed for extent in row.shape)], rules)
    kept |= {name for check in trace.checks if isinstance(check, Divides) for name in check.dims}
    free = {key.name for key in trace.keys if key.kind == "inert" or (
        key.base == 0 and key.kind not in SIZES)}
    return frozenset(free | (reached(counts, rules) - kept))


def reached(expressions: Iterable[ex.Expr], rules: Mapping[str, Equation]) -> set[str]:
    """The dims in expressions, and those that they follow."""
    found: set[str] = set()
    more = {name for expr in expressions for name in ex.symbols_in(expr)}
    while more:
        found |= more
        more = {name for dim in more if dim in rules for name in rules[dim].inputs} - found
    return found


def share_of(key: Key) -> Fraction | None:
    """A key's value where it is no whole number and no size, which is put in where it stands;
    else None."""
    if key.kind not in SIZES and isinstance(key.base, float) and isfinite(key.base) and (
            not key.base.is_integer()):
        return Fraction(str(key.base))
    return None


def _whole(key: Key) -> bool:
    """Whether a key's value is a whole number."""
    return (isinstance(key.base, int) and not isinstance(key.base, bool)) or (
        isinstance(key.base, float) and key.base.is_integer())


def _gives(eq: Equation, base: Mapping[str, int]) -> bool:
    """Whether a rule gives the number that the target has, or the target has none."""
    return eq.dim not in base or eq.holds(base) is True


def _below_zero(rows: Iterable[TracedRow]) -> Iterator[Check]:
    """No axis and no number of copies with a minus in it falls below zero."""
    for row in rows:
        for extent in (*row.shape, *row.copies):
            if any(map(ex.negated, ex.walk(extent))):
                yield Compares(ex.Num(0), "<=", extent, f"{row.pattern} has no size below zero")


def _checks(trace: Trace, base: Mapping[str, ex.Rational]) -> Iterator[Check]:
    """What the constructor asserts, and what the probes could not move; what is no whole number
    was not moved either."""
    yield from trace.checks
    held = {name: _HELD["held"] for name, number in base.items() if isinstance(number, Fraction)}
    held |= {key.name: _HELD[key.kind] for key in trace.keys if key.kind in _HELD}
    yield from bounds(trace.assumptions, base, held)


def _refuse_unknown(trace: Trace, rows: tuple[TracedRow, ...], equations: tuple[Equation, ...],
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

