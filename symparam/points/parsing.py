"""The values of a dim from text: a list, or a range with both ends."""

from __future__ import annotations

from fractions import Fraction

from symparam.errors import BadValue, ParseError
from symparam.grammar import constant, parse_rule
from symparam.points.axes import Axis, Listed, Span
from symparam.resolve import whole_number

#: Values that a list or a range with an odd step may have.
MOST = 1_000_000


def axis(dim: str, values: str, least: int | None = 1) -> Axis:
    """The values of a dim from text.

    Args:
        dim: the dim.
        values: a list, or a range with both ends.
        least: the smallest that it may have; None where others say it.

    >>> axis("n_experts", "8,16, 64").values({}), axis("L", "10:20:4").values({})
    ((8, 16, 64), range(10, 21, 4))
    """
    if ":" not in values:
        listed = [_number(dim, values, v, least) for v in values.split(",")]
        return Listed(dim, tuple(sorted(set(listed))))
    start, stop, step = _ends(dim, values, least)
    if start > 0 and start % step == 0:
        return Span(dim, step, start, stop)
    if (stop - start) // step > MOST:
        raise BadValue(dim, values, f"has more than {MOST:,} values that are no multiples of "
                       f"{step}: begin at one")
    return Listed(dim, range(start, stop + 1, step))


def _ends(dim: str, values: str, least: int | None) -> tuple[int, int, int]:
    """Where a range begins and ends, and its step."""
    words = values.split(":")
    ends = [_number(dim, values, v, least) for v in words[:2]]
    if len(words) not in {2, 3} or ends[0] > ends[1]:
        raise BadValue(dim, values, "expected start:stop or start:stop:step, start first")
    step = _number(f"the step of {dim}", values, words[2], 1) if len(words) == 3 else 1
    return ends[0], ends[1], step


def _number(dim: str, values: str, value: str, least: int | None) -> int:
    number = number_of(f"{dim}={values}", value)
    return whole_number(dim, number, int(number) if least is None else least)


def number_of(text: str, value: str) -> int | Fraction:
    """A number in a text that says more, exactly.

    Raises:
        ParseError, BadValue: there is none.
    """
    try:
        number = constant(parse_rule(value))
    except ParseError as error:
        raise ParseError(text, error.position + max(text.find(value), 0), error.problem) from None
    if number is None:
        raise BadValue(text.partition("=")[0], value, "expected a number")
    return number
