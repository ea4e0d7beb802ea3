"""What bounds the one unknown besides the limit itself: full windows, learned positions, and parts
of a quantity that are more than the limit on their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from symparam.arithmetic import decimal
from symparam.dataclass import dataclass
from symparam.errors import Contradiction, NotDerivable
from symparam.expression import Rational
from symparam.model import Model
from symparam.quantities.quantity import Subject
from symparam.quantities.setting import Setting
from symparam.resolve import with_overrides
from symparam.solve.requests.goals import Goal
from symparam.solve.requests.targets import is_run, parts_of, setting_at


@dataclass(frozen=True)
class Longest:
    """The longest sequence within a limit.

    Attributes:
        dims: the point.
        remarks: what bounds it, or why nothing does.
        everywhere: whether every length is within the limit; the point is then the first length
            from which on the quantity stays as it is.
    """

    dims: Mapping[str, int]
    remarks: tuple[str, ...] = ()
    everywhere: bool = False


def longest(goal: Goal, dims: Mapping[str, int]) -> Longest:
    """The longest sequence within a limit, from what the limit alone allows.

    Args:
        goal: what is wanted; its unknown is the length s.
        dims: the point that was found.

    Raises:
        NotDerivable: a value is wanted that the quantity has at every length from some one on.
    """
    found = Longest(dims)
    here = goal.piece(dims)
    if here is not None and here.count.degree("s") == 0:
        found = _flat(goal, dims, here.first)
    rows = dims.get("n_ctx")
    if rows is None or goal.relation != "<=" or goal.amount(dims) > goal.value or (
            dims["s"] <= rows):
        return found
    room = "every s" if found.everywhere else f"s = {dims['s']:,}"
    bounded = {**dims, "s": rows}
    if goal.amount(bounded) > goal.value:
        return found
    return Longest(bounded, (f"s is at most n_ctx = {rows:,}: the model has learned no more "
                             f"positions; {goal.name} alone would leave room for {room}",))


def _flat(goal: Goal, dims: Mapping[str, int], first: int) -> Longest:
    """A length from which on a quantity stays as it is, as every window is full."""
    before = {**dims, "s": first - 1}
    if first > 1 and goal.amount(before) == goal.amount(dims):
        first -= 1
    value = goal.amount(dims)
    said = (f"{goal.name} is {_size(goal, value)} from s = {first:,} on, however long the sequence "
            "is: every window is full")
    if goal.relation != "<=" or value > goal.value:
        raise NotDerivable(said)
    return Longest({**dims, "s": first}, (said,), True)


def _size(goal: Goal, value: Rational) -> str:
    shown = f"{value:,}" if isinstance(value, int) else str(value)
    if goal.unit != "bytes":
        return f"{shown} {goal.unit}"
    return f"{shown} bytes ({decimal(Fraction(value, 10**9), 2)} GB)"


def too_large(model: Model, goal: Goal, dims: Mapping[str, int],
              setting: Setting) -> Iterator[str]:
    """The parts of a sum that are more than its limit on their own, at a point that misses it.

    Args:
        model: what is solved.
        goal: the limit.
        dims: the nearest miss.
        setting: what the model is run with there.
    """
    parts = () if goal.relation != "<=" else parts_of(goal.name)
    if len(parts) < 2:
        return
    run = {name: value for name, value in dims.items() if is_run(name)}
    whole = with_overrides(model, {n: v for n, v in dims.items() if n not in run})
    subject = Subject.of(whole, setting_at(setting, run))
    for part in parts:
        value = part.value(subject)
        if value > goal.value:
            yield f"{part.title} alone: {_size(goal, value)}, which is more than the limit"


def refuse_more_active(goals: tuple[Goal, ...]) -> None:
    """Refuse more active parameters than parameters.

    Raises:
        Contradiction: a number of active parameters that no tolerance brings down to P.
    """
    wanted = {goal.name: goal for goal in goals}
    total, active = wanted.get("P"), wanted.get("active")
    if total is not None and active is not None and active.relation == "=" and (
            active.low > total.high):
        raise Contradiction(f"active = {active.value:,}", f"P = {total.value:,}",
                            "active is never more than P")
