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
from fractions import Fraction
from typing import TypeVar

from symparam.dims import Names, canonical
from symparam.errors import BadValue, Contradiction
from symparam.points.axes import Axis
from symparam.points.parsing import axis, number_of
from symparam.points.ratios import Ratio
from symparam.resolve import whole_number
from symparam.solve.requests.goals import Relation
from symparam.solve.requests.request import Wishes
from symparam.solve.requests.targets import Wanted

#: Numbers that a ratio may be made of.
LARGEST = 10**6

_T = TypeVar("_T")
_NAMED = re.compile(
    r"\s*([A-Za-z_][\w.]*)\s*(?:/\s*([A-Za-z_][\w.]*)\s*)?(<=|=)\s*(\S.*)", re.ASCII)
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
        extra: names of dims besides the known ones; a model's own.

    Raises:
        SymparamError: something in it cannot be read, or is said twice.

    >>> said = read_wishes(ranges=["L=16:64:4", "d_model/L=64:160"], multiples=["d_ff=256"])
    >>> said.ranges["L"].text, str(said.ratios[0]), said.multiples
    ('L: multiples of 4, from 16 to 64', '64 ≤ d_model/L ≤ 160', {'d_ff': 256})
    """
    names = extra if isinstance(extra, Names) else Names((name, name) for name in extra)
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
        steps[name] = whole_number(name, number_of(text, value))
    return Wishes(tuple(unknown), axes, steps, tuple(ratios), _weights(weights), strategy)


def _weights(texts: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        number = number_of(text, value) if equals else None
        if number is None or not isinstance(number, int):
            raise BadValue("--weight", text, "expected NAME=NUMBER, for instance ffn=3")
        _once("--weight", name.strip(), found)
        found[name.strip()] = number
    return found


def _once(option: str, name: str, found: Mapping[str, _T]) -> None:
    if name in found:
        raise Contradiction(f"{option} {name} given twice", "itself", "give it once")


def _parts(option: str, text: str, extra: Names) -> tuple[str, str | None, str]:
    match = _NAMED.fullmatch(text)
    if match is None or match[3] != "=":
        raise BadValue(option, text, "expected KEY=VALUES, for instance L=16:64"
                       if option == "--range" else "expected KEY=NUMBER, for instance d_ff=256")
    if match[2] and option != "--range":
        raise BadValue(option, text, "expected one KEY; a ratio is for --range")
    return (canonical(match[1], extra), canonical(match[2], extra) if match[2] else None,
            match[4].strip())


def _ratio(text: str, top: str, bottom: str, values: str) -> Ratio:
    low, colon, high = values.partition(":")
    ends = [Fraction(number_of(text, part)) for part in ((low, high) if colon else (low, low))]
    if top == bottom or not 0 < ends[0] <= ends[1]:
        raise BadValue("--range", text, "expected two dims and low:high, both above 0")
    if any(max(end.numerator, end.denominator) > LARGEST for end in ends):
        raise BadValue("--range", text, f"expected ratios of numbers up to {LARGEST:,}")
    return Ratio(top, bottom, ends[0], ends[1])


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
    value = number_of(text, _BYTES.sub(r"\1", match[4].strip()))
    if not isinstance(value, int):
        raise BadValue("--target", text, "must be a whole number")
    return Wanted(match[1], value, relation)
