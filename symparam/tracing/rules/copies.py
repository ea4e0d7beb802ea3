"""Copies: which numbers the stars of a pattern take, as rules of the keys of structure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from symparam.dataclass import dataclass
from symparam.tracing.recording.terms import Path, Term, key, number, whole_value
from symparam.tracing.rules.counts import Counts
from symparam.tracing.searching.tables import Index

#: A point of structure and the numbers that a pattern's stars took there.
Seen = tuple[Mapping[Path, Any], frozenset[Index]]
#: The first points are the search's base and the target's own: a rule has to hold there.
ANCHORS = 2
#: Stages and the like are told apart by their number where there are at most so many.
MAX_SPLIT = 32


@dataclass(frozen=True)
class Progression:
    """Numbers from a start by a step; or, ``others``, all numbers but those."""

    start: Term = ("n", 0)
    step: Term = ("n", 1)
    others: bool = False

    def first(self, count: int, values: Mapping[Path, Any]) -> list[int] | None:
        """The first so many of them at a point; None where there are none."""
        start, step = whole_value(self.start, values), whole_value(self.step, values)
        if start is None or step is None or step < 1:
            return None
        if not self.others:
            return [start + step * i for i in range(count)]
        found = [i for i in range(2 * count + start + 2) if i < start or (i - start) % step]
        return found[:count] if len(found) >= count else None


#: All numbers from 0 on.
FROM_0 = Progression()


@dataclass(frozen=True)
class Copies:
    """A pattern with its counted stars; the others are numbers again.

    Attributes:
        pattern: with a star for each number that is counted.
        factors: a count for each star, or one for all together.
        numbers: which numbers the first star takes; None where they are in no order.
        at_most: pairs of keys of which the first may not be larger.
    """

    pattern: str
    factors: tuple[Term, ...] = ()
    numbers: Progression | None = FROM_0
    at_most: tuple[tuple[Path, Path], ...] = ()


@dataclass(frozen=True)
class _Stars:
    """A pattern of which some stars are fixed, and what the free ones took."""

    pattern: str
    seen: tuple[Seen, ...]
    computed: tuple[Term, ...] = ()

    def with_number(self, place: int, value: int) -> _Stars:
        """One star fixed at a number."""
        parts = self.pattern.split("*")
        text = "*".join(parts[:place + 1]) + str(value) + "*".join(parts[place + 1:])
        return _Stars(text, tuple(
            (values, frozenset(i[:place] + i[place + 1:] for i in found if i[place] == value))
            for values, found in self.seen), self.computed)

    def taken(self, place: int) -> list[frozenset[int]]:
        """What one star took, at each point at which there are any."""
        return [frozenset(i[place] for i in found) for _, found in self.seen if found]

    @property
    def stars(self) -> int:
        """How many are free."""
        return self.pattern.count("*")

    def dotted(self, place: int) -> bool:
        """Whether a star is a number between dots: of a list, and not the end of a word."""
        spans = [m.start() for m in re.finditer(r"\*", self.pattern)]
        at = spans[place]
        before = self.pattern[at - 1] if at else "."
        after = self.pattern[at + 1] if at + 1 < len(self.pattern) else "."
        return before == after == "."


def solve(pattern: str, seen: Sequence[Seen], keys: Sequence[Path],
          computed: tuple[Term, ...] = ()) -> list[Copies] | None:
    """The rows that the copies of a pattern make; None where their number follows no rule.

    Args:
        pattern: with a star for each number.
        seen: points of structure, and the numbers that the stars took there.
        keys: what layers are counted with.
        computed: what the code computed of these.

    >>> L = ("L",)
    >>> seen = [({L: n}, frozenset((i,) for i in range(n))) for n in (2, 3, 5)]
    >>> [(c.pattern, c.factors) for c in solve("layers.*.w", seen, [L])]
    [('layers.*.w', (('k', ('L',)),))]
    """
    return _solved(_Stars(pattern, tuple(seen), computed), keys)


def _solved(stars: _Stars, keys: Sequence[Path]) -> list[Copies] | None:
    stars = _without_constants(stars)
    if stars.stars == 0:
        present = [len(found) for _, found in stars.seen]
        return [Copies(stars.pattern)] if set(present) == {1} else None
    for place in range(stars.stars):
        taken = set(stars.taken(place))
        if len(taken) == 1 and not stars.dotted(place):
            return _split(stars, place, keys)
    made = _as_product(stars, keys)
    if made is not None:
        return made
    if len(set(stars.taken(0))) == 1 and len(stars.taken(0)[0]) <= MAX_SPLIT:
        return _split(stars, 0, keys)
    made = _as_total(stars, keys)
    if made is None and len(frozenset().union(*stars.taken(0))) <= MAX_SPLIT:
        return _split(stars, 0, keys)  # at some points there are none of a stage
    return made


def _without_constants(stars: _Stars) -> _Stars:
    """Stars that take one number alone are that number."""
    place = 0
    while place < stars.stars:
        union = frozenset().union(*stars.taken(place))
        if len(union) == 1:
            stars = stars.with_number(place, next(iter(union)))
        else:
            place += 1
    return stars


def _split(stars: _Stars, place: int, keys: Sequence[Path]) -> list[Copies] | None:
    rows: list[Copies] = []
    for value in sorted(frozenset().union(*stars.taken(place))):
        found = _solved(stars.with_number(place, value), keys)
        if found is None:
            return None
        rows += found
    return rows


def _as_product(stars: _Stars, keys: Sequence[Path]) -> list[Copies] | None:
    """One row whose stars are independent of each other."""
    for _, found in stars.seen:
        size = 1
        for place in range(stars.stars):
            size *= len({i[place] for i in found})
        if found and size != len(found):
            return None
    for none in (True, False) if stars.stars > 1 else (True,):
        if (made := _factored(stars, keys, none)) is not None:
            return made
    return None


def _factored(stars: _Stars, keys: Sequence[Path], none: bool) -> list[Copies] | None:
    """One row with a rule for each star.

    Args:
        stars: whose numbers are independent of each other.
        keys: what layers are counted with.
        none: whether the first star takes no number where there are no copies; else any may.
    """
    factors: list[Term] = []
    limits: tuple[tuple[Path, Path], ...] = ()
    for place in range(stars.stars):
        points = [(values, len({i[place] for i in found})) for values, found in stars.seen
                  if found or (none and place == 0)]
        rule = _rule(points, keys, stars.computed)
        if rule is None:
            return None
        if rule[0][0] == "n" and any(
                t != frozenset(range(len(t))) for t in stars.taken(place)) and (
                    place or len(set(stars.taken(place))) == 1 or describe(stars, keys) is None):
            return None  # a fixed set that does not count from 0: told apart by its numbers
        factors.append(rule[0])
        limits += rule[1]
    if not none:
        empty = [values for values, found in stars.seen if not found]
        factors = [_not_below_zero(factor, empty) for factor in factors]
        if any(all(whole_value(f, values) != 0 for f in factors) for values in empty):
            return None
    return [Copies(stars.pattern, tuple(factors), describe(stars, keys), limits)]


def _not_below_zero(term: Term, points: Sequence[Mapping[Path, Any]]) -> Term:
    """A count, or 0 where it would be less at some points."""
    below = any((whole_value(term, values) or 0) < 0 for values in points)
    return ("max", term, number(0)) if below else term


def _as_total(stars: _Stars, keys: Sequence[Path]) -> list[Copies] | None:
    """One row of which only the number of all copies is known."""
    rule = _rule([(values, len(found)) for values, found in stars.seen], keys, stars.computed)
    numbers = FROM_0 if stars.stars > 1 else describe(stars, keys)
    return [Copies(stars.pattern, (rule[0],), numbers, rule[1])] if rule else None


Rule = tuple[Term, tuple[tuple[Path, Path], ...]]


def _rule(points: Sequence[tuple[Mapping[Path, Any], int]], keys: Sequence[Path],
          computed: tuple[Term, ...]) -> Rule | None:
    """A rule for counts, if need be where one key is at most another.

    A simple rule where one is comes before a sum: of many sums, one would fit by chance.
    """
    if not points:  # it is nowhere
        return None
    wanted = [n for _, n in points]
    for rule in (Counts.simple, Counts.find):
        term = rule(_at(points, keys, computed), wanted)
        if term is not None:
            return term, ()
        found = _where_at_most(points, keys, computed, rule)
        if found is not None:
            return found
    term = _at(points, keys, computed).listed(wanted)
    return None if term is None else (term, ())


def _where_at_most(points: Sequence[tuple[Mapping[Path, Any], int]], keys: Sequence[Path],
                   computed: tuple[Term, ...],
                   rule: Callable[[Counts, Sequence[int]], Term | None]) -> Rule | None:
    """A rule for counts where one key is at most another, with most of the points."""
    best: tuple[int, Rule] | None = None
    for less in keys:
        for more in keys:
            kept = [(v, n) for v, n in points if v[less] <= v[more]]
            begins = all(v[less] <= v[more] for v, _ in points[:ANCHORS])
            if less == more or not begins or not 5 <= len(kept) < len(points):
                continue
            term = rule(_at(kept, keys, computed), [n for _, n in kept])
            if term is not None and (best is None or len(kept) > best[0]):
                best = len(kept), (term, ((less, more),))
    return best[1] if best else None


def _at(points: Sequence[tuple[Mapping[Path, Any], int]], keys: Sequence[Path],
        computed: tuple[Term, ...]) -> Counts:
    """The rules at points."""
    places = tuple(tuple(values[path] for path in keys) for values, _ in points)
    return _counts(tuple(keys), places, computed)


@lru_cache(maxsize=64)
def _counts(keys: tuple[Path, ...], places: tuple[tuple[int, ...], ...],
            computed: tuple[Term, ...]) -> Counts:
    """The rules at points that many patterns share."""
    return Counts(keys, [dict(zip(keys, place, strict=True)) for place in places], computed)


# -- which numbers -------------------------------------------------------------------------------


def describe(stars: _Stars, keys: Sequence[Path]) -> Progression | None:
    """Which numbers the first star takes; None where there is no order.

    >>> L = ("L",)
    >>> seen = tuple(({L: n}, frozenset((i,) for i in range(1, n, 2))) for n in (2, 3, 6))
    >>> describe(_Stars("layers.*.w", seen), [L])
    Progression(start=('n', 1), step=('n', 2), others=False)
    """
    points = [(values, sorted({i[0] for i in found})) for values, found in stars.seen if found]
    starts = [*map(number, range(7)), *map(key, keys),
              *(("-", key(path), number(1)) for path in keys)]
    for others in (False, True):
        for step in [*map(number, range(1 + others, 8)), *map(key, keys)]:
            for start in starts:
                tried = Progression(start, step, others)
                if all(tried.first(len(taken), values) == taken for values, taken in points):
                    return tried
    return None
