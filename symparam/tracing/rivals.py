"""Points that tell a rule for copies from others which fit as well.

A few small numbers are counted alike by many rules. So where one was taken, what else has the same
counts at every point is looked for, and the next points are those where they differ.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from symparam.tracing.counts import Counts
from symparam.tracing.domain import Values
from symparam.tracing.structure import Structure
from symparam.tracing.terms import Term, whole_value

#: Points of which those are taken that tell most rules apart.
DRAWN = 60
#: Points that are taken at most.
TAKEN = 6
#: The largest number of layers that is drawn.
MOST = 30
#: With more keys of structure than so many, nothing is looked for.
MAX_KEYS = 6


def telling(structure: Structure, seen: Sequence[Values], rng: random.Random) -> list[Values]:
    """Points at which rules that were taken differ from others, few that tell many apart.

    Args:
        structure: the rows.
        seen: points at which they are right.
        rng: draws candidates.
    """
    if not 0 < len(structure.keys) <= MAX_KEYS:
        return []
    pairs = _pairs(structure, seen)
    points = _candidates(structure, rng) if pairs else []
    told = [{place for place, (one, other) in enumerate(pairs)
             if whole_value(one, values) != whole_value(other, values)} for values in points]
    taken: list[Values] = []
    left = set(range(len(pairs)))
    while points and left and len(taken) < TAKEN:
        best = max(range(len(points)), key=lambda i: len(told[i] & left))
        if not told[best] & left:
            break
        left -= told[best]
        taken.append(points[best])
    return taken


def _pairs(structure: Structure, seen: Sequence[Values]) -> list[tuple[Term, Term]]:
    """Each rule that was taken with others that are the same wherever something was built."""
    counts = Counts(structure.keys, list(seen), structure.computed)
    found = []
    for term in dict.fromkeys(f for row in structure.rows for f in row.copies.factors):
        vector = [whole_value(term, values) for values in seen]
        if term[0] == "n" or None in vector:
            continue
        goal = tuple(x for x in vector if x is not None)
        found += [(term, other) for other in counts.rivals(goal) if other != term]
    return found


def _candidates(structure: Structure, rng: random.Random) -> list[Values]:
    """Points at which layers are counted in many ways, and rows say something of them."""
    domain, (values, _) = structure.domain, structure.generic()
    found = []
    for _ in range(DRAWN):
        most = rng.choice((8, MOST))
        drawn = domain.kept_near({**values, **{
            p: rng.randint(1, most) if rng.random() < .8 else values[p] for p in structure.keys}})
        if domain.kept(drawn) and not structure.excluded(drawn):
            found.append(drawn)
    return found
