"""The audit: what the rows are exact under, that probes could not show. Never left out."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from symparam.errors import short, some
from symparam.traced.records import Assumption, TracedRow
from symparam.tracing.recording.records import Decision
from symparam.tracing.recording.terms import Path, Term, keys_in, size, whole_value

#: A number in a shape that is not larger needs no word: kernels, pairs, gates.
PLAIN_NUMBER = 16
#: Keys whose range is said, those that layers are counted with first.
MAX_RANGES = 24
#: Keys that are named.
MAX_NAMES = 6


def unsaid(rows: Iterable[TracedRow], names: Iterable[str]) -> list[str]:
    """Names of tensors that no row is for.

    >>> unsaid([TracedRow("h.*.w", ())], ["h.0.w", "h.12.w", "h.0.b", "wte"])
    ['h.0.b', 'wte']
    """
    patterns = (re.escape(row.pattern).replace(r"\*", r"\d+") for row in rows)
    said = re.compile("|".join(patterns) or "$.")
    return [name for name in names if said.fullmatch(name) is None]


def pinned(paths: Sequence[Path], names: Mapping[Path, str],
           base: Mapping[Path, Any]) -> list[Assumption]:
    """Keys that no other value was accepted of."""
    return [Assumption("pinned", (names[p],),
                       f"{names[p]} could not be moved: what follows it is written with "
                       f"{base[p]}") for p in paths]


def tied(points: Sequence[Mapping[Path, Any]], paths: Iterable[Path],
         names: Mapping[Path, str]) -> list[Assumption]:
    """Keys that were proportional at every point: one may stand for the other.

    >>> points = [{("a",): 2, ("b",): 4}, {("a",): 3, ("b",): 6}]
    >>> [a.text for a in tied(points, [("a",), ("b",)], {("a",): "a", ("b",): "b"})]
    ['a and b were in one ratio (1 : 2) at every point: one may stand for the other']
    """
    alike: dict[tuple[int, ...], list[Path]] = defaultdict(list)
    for path in paths:
        vector = [values[path] for values in points]
        divisor = math.gcd(*vector)
        if divisor and len(set(vector)) > 1:
            alike[tuple(x // divisor for x in vector)].append(path)
    found = []
    for group in alike.values():
        if len(group) > 1:
            first = [points[0][p] for p in group]
            divisor = math.gcd(*first)
            shown = " and ".join(names[p] for p in group)
            ratio = " : ".join(str(x // divisor) for x in first)
            found.append(Assumption("tied", tuple(names[p] for p in group),
                                    f"{shown} were in one ratio ({ratio}) at every point: one "
                                    "may stand for the other"))
    return found


def alike(chosen: Iterable[Term], terms: Iterable[Term], points: Sequence[Mapping[Path, Any]],
          elsewhere: Sequence[Mapping[Path, Any]]) -> list[tuple[Term, Term]]:
    """Terms that agreed with chosen ones at every point, and differ where nothing was built.

    Args:
        chosen: terms that dims are written with.
        terms: what else there was to choose from.
        points: where something was built.
        elsewhere: points at which the relations that are declared hold, built or not.

    >>> d, h, k = (("k", (name,)) for name in "dhk")
    >>> points = [{("d",): 12, ("h",): 3, ("k",): 4}, {("d",): 10, ("h",): 2, ("k",): 5}]
    >>> alike([d], [("*", h, k)], points, [{("d",): 9, ("h",): 2, ("k",): 5}])
    [(('k', ('d',)), ('*', ('k', ('h',)), ('k', ('k',))))]
    """
    def at(term: Term, where: Sequence[Mapping[Path, Any]]) -> tuple[int | None, ...]:
        return tuple(whole_value(term, values) for values in where)
    groups: dict[tuple[int | None, ...], list[Term]] = defaultdict(list)
    for term in sorted(set(terms), key=size):
        groups[at(term, points)].append(term)
    found = []
    for term in dict.fromkeys(chosen):
        mine = at(term, elsewhere)
        other = next((o for o in groups[at(term, points)] if any(
            a is not None and b is not None and a != b
            for a, b in zip(mine, at(o, elsewhere), strict=True))), None)
        if other is not None:
            found.append((term, other))
    return found


def numbers(rows: Sequence[TracedRow], left: Mapping[int, Sequence[int]],
            follows: Mapping[int, Iterable[str]]) -> list[Assumption]:
    """Axes for which no rule was found, with the dims that they follow."""
    found: dict[tuple[str, int, str], Assumption] = {}
    for place, axes in left.items():
        row, keys = rows[place], tuple(follows.get(place, ()))
        for axis in axes:
            after = (f"it follows {some(keys, MAX_NAMES)}" if keys else
                     "it changes from point to point")
            found[row.pattern, axis, str(row.shape[axis])] = Assumption(
                "number", keys, f"axis {axis} of {row.pattern} is left as the number "
                f"{row.shape[axis]}: {after}, and no rule for it was found")
    return list(found.values())


def constants(rows: Sequence[TracedRow]) -> list[Assumption]:
    """Large numbers in shapes that nothing moved: written in the code, or follow what is held."""
    from symparam import expression as ex

    found: dict[int, list[str]] = defaultdict(list)
    for row in rows:
        for axis in row.shape:
            if isinstance(axis, ex.Num) and isinstance(axis.value, int) and (
                    axis.value > PLAIN_NUMBER):
                found[axis.value].append(row.pattern)
    return [Assumption("number", (), f"{value} is a number in "
                       f"{some(dict.fromkeys(patterns), 3)}: none of the keys that were moved "
                       "changes it") for value, patterns in sorted(found.items())]


def decided(decisions: Iterable[Decision], plain: Callable[[Term], str],
            names: Mapping[Path, str]) -> list[Assumption]:
    """Numbers that were looked up in a table or made a text: what stands there for others was not
    seen.

    Args:
        decisions: what was recorded.
        plain: a term in words.
        names: the dim of each key.
    """
    found: dict[tuple[str, Term], list[str]] = defaultdict(list)
    for each in decisions:
        found[each.how, each.term].append(each.where)
    return [Assumption("decided", tuple(names[p] for p in sorted(keys_in(term), key=str)),
                       f"{plain(term)} was {how} ({some(dict.fromkeys(where), 3)}): what comes of "
                       "other numbers there was not seen, beyond those that were built")
            for (how, term), where in found.items()]


def built(points: Sequence[Mapping[Path, Any]], layered: Iterable[Path], others: Iterable[Path],
          names: Mapping[Path, str]) -> Assumption:
    """The numbers that something was built with: a case that begins beyond them was not seen.

    Args:
        points: where something was built.
        layered: keys that layers are counted with; they are said first.
        others: keys that shapes follow.
        names: the dim of each.

    >>> points = [{("L",): 2, ("d",): 96}, {("L",): 7, ("d",): 65}]
    >>> built(points, [("L",)], [("d",)], {("L",): "L", ("d",): "d"}).text
    'no other case lies between or beyond the numbers that were built: L 2 to 7, d 65 to 96'
    """
    ranges = [f"{names[p]} {min(v[p] for v in points):,} to {max(v[p] for v in points):,}"
              for p in (*layered, *others)]
    return Assumption("range", (), "no other case lies between or beyond the numbers that were "
                      f"built: {some(ranges, MAX_RANGES)}")


def switches(values: Mapping[Path, Any]) -> list[Assumption]:
    """What is no number and was kept."""
    if not values:
        return []
    shown = [f"{'.'.join(map(str, p))} = {short(v, 24)}" for p, v in values.items()]
    return [Assumption("switch", tuple(".".join(map(str, p)) for p in values),
                       "held as they are: " + "; ".join(shown))]
