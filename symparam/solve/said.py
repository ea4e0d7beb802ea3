"""Reading what is said of a search: ranges, multiples, weights and targets, as text.

::

    range    = KEY "=" values | KEY "/" KEY "=" low ":" high
    values   = start ":" stop [":" step] | number ("," number)*
    multiple = KEY "=" number
    weight   = PREFERENCE "=" number
    target   = QUANTITY ("=" | "<=") number

Both ends of a range belong to it. Numbers are those of the closed grammar.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

from symparam.dims import canonical
from symparam.errors import BadValue, Contradiction, ParseError
from symparam.grammar import constant, parse_rule
from symparam.resolve import whole_number
from symparam.solve.axes import Axis, Listed, Ratio, Span
from symparam.solve.goals import Relation
from symparam.solve.request import Wishes
from symparam.solve.targets import Wanted

#: Values that a list or a range with an odd step may have.
MOST = 1_000_000

#: Numbers that a ratio may be made of.
LARGEST = 10**6

_T = TypeVar("_T")
_NAMED = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:/\s*([A-Za-z_]\w*)\s*)?(<=|=)\s*(\S.*)", re.ASCII)
_BYTES = re.compile(r"([kKMGT]i?)B$")


def read_wishes(*, unknown: Iterable[str] = (), ranges: Iterable[str] = (),
                multiples: Iterable[str] = (), weights: Iterable[str] = (),
                strategy: str | None = None, extra: Iterable[str] = ()) -> Wishes:
    """What was said besides a target and dims.

    Args:
        unknown: dims to search.
        ranges: ``d_model=1024:4096:128``, ``n_experts=8,16``, ``d_model/L=64:160``.
        multiples: ``d_ff=256``.
        weights: ``ffn=3``.
        strategy: ``deep``, ``balanced`` or ``wide``.
        extra: names of dims besides the known ones.

    Raises:
        SymparamError: something in it cannot be read, or is said twice.

    >>> said = read_wishes(ranges=["L=16:64:4", "d_model/L=64:160"], multiples=["d_ff=256"])
    >>> said.ranges["L"].text, str(said.ratios[0]), said.multiples
    ('L: multiples of 4, from 16 to 64', '64 ≤ d_model/L ≤ 160', {'d_ff': 256})
    """
    names = frozenset(extra)
    axes: dict[str, Axis] = {}
    ratios: list[Ratio] = []
    for text in ranges:
        top, bottom, values = _parts("--range", text, names)
        if bottom is not None:
            ratios.append(_ratio(text, top, bottom, values))
        else:
            _once("--range", top, axes)
            axes[top] = axis(top, values)
    if len({frozenset(r.dims) for r in ratios}) < len(ratios):
        raise Contradiction("--range of one ratio given twice", "itself", "give it once")
    steps: dict[str, int] = {}
    for text in multiples:
        name, _, value = _parts("--multiple", text, names)
        _once("--multiple", name, steps)
        steps[name] = whole_number(name, _number(text, value))
    return Wishes(tuple(unknown), axes, steps, tuple(ratios), _weights(weights), strategy)


def _weights(texts: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        number = _number(text, value) if equals else None
        if number is None or not isinstance(number, int):
            raise BadValue("--weight", text, "expected NAME=NUMBER, for instance ffn=3")
        _once("--weight", name.strip(), found)
        found[name.strip()] = number
    return found


def _once(option: str, name: str, found: Mapping[str, _T]) -> None:
    if name in found:
        raise Contradiction(f"{option} {name} given twice", "itself", "give it once")


def _parts(option: str, text: str, extra: frozenset[str]) -> tuple[str, str | None, str]:
    match = _NAMED.fullmatch(text)
    if match is None or match[3] != "=":
        raise BadValue(option, text, "expected KEY=VALUES, for instance L=16:64"
                       if option == "--range" else "expected KEY=NUMBER, for instance d_ff=256")
    if match[2] and option != "--range":
        raise BadValue(option, text, "expected one KEY; a ratio is for --range")
    return (canonical(match[1], extra), canonical(match[2], extra) if match[2] else None,
            match[4].strip())


def _number(text: str, value: str) -> int | Fraction:
    try:
        number = constant(parse_rule(value))
    except ParseError as error:
        raise ParseError(text, error.position + max(text.find(value), 0), error.problem) from None
    if number is None:
        raise BadValue(text.partition("=")[0], value, "expected a number")
    return number


def axis(dim: str, values: str) -> Axis:
    """The values of a dim from text.

    >>> axis("n_experts", "8,16, 64").values({}), axis("L", "10:20:4").values({})
    ((8, 16, 64), (10, 14, 18))
    """
    if ":" not in values:
        listed = [whole_number(dim, _number(f"{dim}={values}", v)) for v in values.split(",")]
        return Listed(dim, tuple(sorted(set(listed))))
    ends = [whole_number(dim, _number(f"{dim}={values}", v)) for v in values.split(":")]
    if len(ends) not in {2, 3} or ends[0] > ends[1]:
        raise BadValue(dim, values, "expected start:stop or start:stop:step, start first")
    start, stop, step = (*ends, 1)[:3]
    if start % step == 0:
        return Span(dim, step, start, stop)
    if (stop - start) // step > MOST:
        raise BadValue(dim, values, f"has more than {MOST:,} values that are no multiples of "
                       f"{step}: begin at one")
    return Listed(dim, tuple(range(start, stop + 1, step)))


def _ratio(text: str, top: str, bottom: str, values: str) -> Ratio:
    low, colon, high = values.partition(":")
    ends = [Fraction(_number(text, part)) for part in ((low, high) if colon else (low, low))]
    if top == bottom or not 0 < ends[0] <= ends[1]:
        raise BadValue("--range", text, "expected two dims and low:high, both above 0")
    if any(max(end.numerator, end.denominator) > LARGEST for end in ends):
        raise BadValue("--range", text, f"expected ratios of numbers up to {LARGEST:,}")
    return Ratio(top, bottom, *ends)


def read_target(text: str) -> Wanted:
    """A target from text: ``active=3B``, ``kv_cache<=2GB``.

    Raises:
        BadValue: it is no target, or its value is no whole number.

    >>> read_target("active=3B")
    Wanted(name='active', value=3000000000, relation='=')
    """
    match = _NAMED.fullmatch(text)
    if match is None or match[2]:
        raise BadValue("--target", text, "expected QUANTITY=NUMBER or QUANTITY<=NUMBER, for "
                       "instance active=3B or kv_cache<=2GB")
    relation: Relation = "<=" if match[3] == "<=" else "="
    value = _number(text, _BYTES.sub(r"\1", match[4].strip()))
    if not isinstance(value, int):
        raise BadValue("--target", text, "must be a whole number")
    return Wanted(match[1], value, relation)


def with_strategy(wishes: Wishes, strategy: str) -> Wishes:
    """The same with a strategy."""
    return replace(wishes, strategy=strategy)
