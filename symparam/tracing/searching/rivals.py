"""Points that tell a rule for copies from others which fit as well.

A few small numbers are counted alike by many rules. So where one was taken, what else has the same
counts at every point is looked for, and the next points are those where they differ.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from symparam.tracing.recording.terms import Term, whole_value
from symparam.tracing.rules.counts import Counts
from symparam.tracing.searching.domain import Values
from symparam.tracing.searching.structure import Structure
from symparam.tracing.searching.tables import Table

#: Points of which those are taken that tell most rules apart; few of them differ.
DRAWN = 240
#: Points that are taken at most.
TAKEN = 6
#: Points that are built for these at most: some are refused.
TRIED = 12
#: The largest number of layers that is drawn.
MOST = 30
#: With more keys of structure than so many, nothing is looked for.
MAX_KEYS = 6


def telling(structure: Structure, seen: Sequence[Values], rng: random.Random
            ) -> list[tuple[Values, Table]]:
    """Points at which rules that were taken differ from others, few that tell many apart.

    Args:
        structure: the rows.
        seen: points at which they are right.
        rng: draws candidates.
    """
    if not 0 < len(structure.keys) <= MAX_KEYS:
        return []
    pairs = _pairs(structure, seen)
    points = _candidates(structure, seen, rng) if pairs else []
    told = {place: {at for at, (one, other) in enumerate(pairs)
                    if _count(one, values) != _count(other, values)}
            for place, values in enumerate(points)}
    taken: list[tuple[Values, Table]] = []
    left = set(range(len(pairs)))
    for _ in range(TRIED):
        best = max(told, key=lambda place: len(told[place] & left), default=None)
        if best is None or not told[best] & left or len(taken) == TAKEN:
            break
        table = structure.domain.prober.table(points[best])
        tells = told.pop(best)
        if table is not None:
            left -= tells
            taken.append((points[best], table))
    return taken


def _count(term: Term, values: Values) -> int:
    """A count at a point: less than none is none."""
    return max(0, whole_value(term, values) or 0)


def _pairs(structure: Structure, seen: Sequence[Values]) -> list[tuple[Term, Term]]:
    """Each rule that was taken with others that are the same wherever something was built."""
    counts = Counts(structure.keys, list(seen), structure.computed)
    found = []
    for term in dict.fromkeys(f for row in structure.rows for f in row.copies.factors):
        vector = [whole_value(term, values) for values in seen]
        if term[0] == "n" or None in vector:
            continue
        goal = tuple(x for x in vector if x is not None)
        found += [(term, other) for other in dict.fromkeys(counts.rivals(goal)) if other != term]
    return found


def _candidates(structure: Structure, seen: Sequence[Values], rng: random.Random) -> list[Values]:
    """Points at which layers are counted in many ways, and rows say something of them."""
    domain, (values, _) = structure.domain, structure.generic()
    found: dict[tuple[int, ...], Values] = {}
    for _ in range(DRAWN):
        most, near = rng.choice((8, MOST)), rng.choice(seen)
        drawn = domain.kept_near({**values, **{
            p: rng.randint(1, most) if rng.random() < .5 else near[p] for p in structure.keys}})
        if domain.kept(drawn) and not structure.excluded(drawn):
            found[tuple(drawn[p] for p in structure.keys)] = drawn
    return [*found.values()]
