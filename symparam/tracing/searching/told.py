"""Points that tell a term for a dim from others which the code computed, and which agree with it.

Where a number of groups divides a width at every point that is drawn, a width that is rounded to a
multiple of 8 is never seen to be rounded. So what else the code computed, and has the same values
wherever something was built, is held against the term that was taken at points where they differ.
So is what has one number at all of them against that number.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence

from symparam.tracing.recording.terms import Path, Term, keys_in, whole_value
from symparam.tracing.searching.domain import Domain, Values
from symparam.tracing.searching.sizes import Sizes
from symparam.tracing.searching.tables import Table

#: Points that are proposed for a term, and such as are built for it at most.
PROPOSED, BUILT = 600, 6
#: Terms for which this is done, the first of the model, and those that each is held against.
MAX_TERMS, MAX_RIVALS = 24, 6

Vector = tuple["int | None", ...]


def telling(sizes: Sizes, seen: Sequence[Values], rng: random.Random
            ) -> Iterator[tuple[Values, Table]]:
    """Points with the base's tensors at which terms that were taken differ from others.

    Args:
        sizes: the terms.
        seen: points at which they are right.
        rng: draws proposals.
    """
    domain = sizes.domain
    for term, others in _rivals(sizes, seen)[:MAX_TERMS]:
        tries = BUILT
        for values in _proposals(domain, keys_in(term).union(*map(keys_in, others)), seen, rng):
            if any(_differ(term, other, values) for other in others) and domain.kept(values):
                tries -= 1
                table = domain.same(values)
                if table is not None:
                    yield values, table
                if table is not None or not tries:
                    break


def _rivals(sizes: Sizes, seen: Sequence[Values]) -> list[tuple[Term, list[Term]]]:
    """Terms of dims, each with what the code computed that is the same at every point."""
    groups: dict[Vector, list[Term]] = defaultdict(list)
    for term in dict.fromkeys(sizes.pool()):
        if keys_in(term):
            groups[_vector(term, seen)].append(term)
    found = []
    numbers_last = sorted(dict.fromkeys(sizes.terms.values()), key=lambda each: each[0] == "n")
    for term in numbers_last:
        if term[0] == "n" or (term[0] != "k" and keys_in(term)):
            vector = _vector(term, seen)
            others = [t for t in groups[vector] if t != term and None not in vector]
            if others:
                found.append((term, others[:MAX_RIVALS]))
    return found


def _vector(term: Term, seen: Sequence[Values]) -> Vector:
    return tuple(whole_value(term, values) for values in seen)


def _differ(one: Term, other: Term, values: Values) -> bool:
    """Whether two terms have two numbers at a point."""
    a, b = whole_value(one, values), whole_value(other, values)
    return a is not None and b is not None and a != b


def _proposals(domain: Domain, keys: frozenset[Path], seen: Sequence[Values], rng: random.Random
               ) -> Iterator[Values]:
    """Points near others: one of some keys is moved, and some of what is asked together with it."""
    free = frozenset(domain.movable_all())
    beside = sorted(keys.union(*(r.keys for r in domain.needed if r.keys & keys)) & free, key=str)
    own = sorted(keys & free, key=str)
    for _ in range(PROPOSED if own else 0):
        values = dict(rng.choice(seen))
        for path in (rng.choice(own), *rng.sample(beside, rng.randint(0, min(3, len(beside))))):
            value = int(values[path])
            values[path] = max(1, rng.choice((
                1, 2, 3, value // 2, value // 4, value // 8, value + rng.randint(-12, 12),
                value + 4 * rng.randint(-6, 6))))
        yield values
