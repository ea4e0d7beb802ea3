"""Numbers of a key between which nothing follows it: beyond them there are other tensors.

The number of steps that is the logarithm of a factor is the same from one power of two up to the
next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from symparam.errors import the
from symparam.tracing.recording.terms import Path
from symparam.tracing.searching.domain import Domain, Values
from symparam.tracing.searching.tables import Table, signature

#: Numbers inside that are built, at random.
INSIDE = 4
#: Numbers that are built on each side of a key's own.
NEAR = 6
#: A key of a smaller number counts something; points at which one is moved between two numbers.
MIN_STEADY, DEEPEST = 3, 6
#: What a key is multiplied with, and divided by, to see where other tensors begin.
FACTORS = (2, 3, 4, 8)

Same = Callable[[int], "bool | None"]


def between(domain: Domain, path: Path) -> bool:
    """Whether a key, moved alone from the base, has the base's tensors all the way from a number
    to another, and others beyond; both ends are then known to the domain.

    Args:
        domain: the keys.
        path: one of them, with a whole number above 0.
    """
    base = int(domain.base[path])

    def at(number: int) -> Table | None:
        return domain.prober.table({**domain.base, path: number})

    def same(number: int) -> bool | None:
        return None if (table := at(number)) is None else table == domain.first
    ends = [_end(same, base, (factor * base for factor in FACTORS)),
            _end(same, base, (base // factor for factor in FACTORS))]
    low, high = ends[1][0], ends[0][0]
    inside = {low, high, *(domain.rng.randint(low, high) for _ in range(INSIDE)),
              *range(max(base - NEAR, low), min(base + NEAR, high) + 1)}
    beyond = [number for _, number in ends if number is not None]
    if not beyond or any(same(number) is False for number in inside) or any(
            signature(the(dict, at(number))) == domain.signature for number in beyond):
        return False
    domain.turned += [{**domain.base, path: number} for number in sorted(inside) if same(number)]
    for number in beyond:
        domain.note(path, {**domain.base, path: number})
    return True


def steady(domain: Domain, path: Path, points: Iterable[tuple[Values, Table]]) -> bool:
    """Whether a key has such numbers on at least one side of its own, and between them nothing
    follows it at some other points either.

    Args:
        domain: the keys.
        path: one that changes how many tensors there are.
        points: where layers are counted otherwise, with what is there; those are looked at in
            which the key is as at the base, the largest first.
    """
    before = len(domain.turned)
    if domain.base[path] < MIN_STEADY or not between(domain, path):
        return False
    numbers = {values[path] for values in domain.turned[before:]}
    deep = sorted((each for each in points if each[0][path] == domain.base[path]),
                  key=lambda each: -len(each[1]))[:DEEPEST]
    same = len(numbers) > 2 and all(
        domain.prober.table({**values, path: number}) in (None, table)
        for values, table in deep for number in numbers)
    if not same:
        del domain.turned[before:]
        domain.strange.pop(path, None)
    return same


def _end(same: Same, base: int, tried: Iterable[int]) -> tuple[int, int | None]:
    """The last number on one side that is the same, and the first known that is not, if any."""
    good, bad = base, None
    for number in tried:
        if number < 1 or number == good:
            break
        if (answer := same(number)) is None:
            continue
        if not answer:
            bad = number
            break
        good = number
    while bad is not None and abs(bad - good) > 1:
        middle = (good + bad) // 2
        taken = next((n for n in (middle, middle - 1, middle + 1) if good != n != bad
                      and same(n) is not None), None)
        if taken is None:
            break
        if same(taken):
            good = taken
        else:
            bad = taken
    return good, bad
