"""Rules for counts: how many copies there are, of the keys that layers are counted with.

Counts seen at points are plain numbers; a rule is a term over keys. Tried are a constant, a key, a
product of two, a quotient rounded up or down (every n-th layer), with what comes before left out,
and sums of two of these.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations

from symparam.tracing.recording.terms import Path, Term, Values, key, number, whole_value
from symparam.tracing.rules.fitting import Vector, vectors

PERIODS = (2, 3, 4, 5, 6)
#: Layers at the beginning that are left out of what comes every n-th.
FIRST = (1, 2, 3)
#: Points at which what is added to a rule has another number than at most points.
MOVED = 2
#: Rules that are looked at beside the one that was taken, at most.
MAX_RIVALS = 40
#: Of rules that agree at every point, so many are put into a sum.
ALIKE = 3
#: With more keys of structure than so many, sums of their quotients are not gone through.
MAX_KEYS = 8
#: No list names more layers.
MAX_LISTED = 32
#: Sums and differences that the code computed, of which quotients are gone through.
MAX_SHIFTED = 6


def _quotients(tops: Sequence[Term], bottoms: Sequence[Term]) -> Iterator[Term]:
    """Quotients rounded down and up."""
    for top in tops:
        for bottom in bottoms:
            if bottom not in (top, *top[1:]):
                yield ("//", top, bottom)
                yield ("ceil", ("/", top, bottom))


def atoms(keys: Sequence[Path]) -> Iterator[Term]:
    """What counts are made of."""
    each = [key(path) for path in keys]
    yield from each
    for a, b in combinations(each, 2):
        yield ("*", a, b)
    yield from _quotients(each, [*map(number, PERIODS), *each])
    if len(keys) > MAX_KEYS:
        return
    for n in (2, 3, 4, 5):  # every n-th from one that is not the first
        for offset in range(1, n):
            yield from (("ceil", ("/", ("-", a, number(offset)), number(n))) for a in each)
    for a, b in permutations(each, 2):
        rest = ("-", a, b)
        yield from _quotients([rest], [number(2), number(3), *(c for c in each if c not in (a, b))])
        yield ("ceil", ("/", ("-", a, number(1)), b))
        yield ("//", a, ("//", a, b))
    for a, b, c in permutations(each, 3):
        if len(keys) <= 4:
            yield ("*", a, ("//", b, c))
            yield ("*", a, ("ceil", ("/", b, c)))


def shifted(computed: Sequence[Term]) -> Iterator[Term]:
    """What code computed by adding and taking away, and quotients of it: every n-th of the rest."""
    for term in [t for t in computed if t[0] in ("+", "-")][:MAX_SHIFTED]:
        yield term
        yield from _quotients([term], [*map(number, PERIODS)])


class Counts:
    """Rules over some keys at some points; at last what code computed of these keys is tried."""

    def __init__(self, keys: Sequence[Path], points: Sequence[Values],
                 computed: Sequence[Term] = ()) -> None:
        moved = [p for p in keys if len({v[p] for v in points}) > 1]
        self.computed = vectors(computed, points)
        tried = [*atoms(moved), *shifted(computed)]
        self.points, self.all = points, tried
        self.atoms = {v: t for v, t in vectors(tried, points).items() if len(set(v)) > 1}
        self.shapes: dict[Vector, list[tuple[Vector, Term]]] = defaultdict(list)
        for vector, term in self.atoms.items():
            self.shapes[_normal(vector)].append((vector, term))

    def find(self, wanted: Sequence[int]) -> Term | None:
        """The simplest rule with these counts; None where there is none.

        >>> L, n = ("L",), ("n",)
        >>> points = [{L: 6, n: 2}, {L: 7, n: 2}, {L: 9, n: 3}, {L: 5, n: 4}, {L: 4, n: 1}]
        >>> Counts([L, n], points).find([3, 4, 6, 4, 0])
        ('-', ('k', ('L',)), ('//', ('k', ('L',)), ('k', ('n',))))
        """
        return self.simple(wanted) or self._sum(tuple(wanted))

    def simple(self, wanted: Sequence[int]) -> Term | None:
        """A number, a multiple of one atom and a constant, or what the code computed; else None."""
        goal = tuple(wanted)
        if len(set(goal)) == 1:
            return number(goal[0])
        return self._affine(goal) or self.computed.get(goal)

    def _sum(self, goal: Vector) -> Term | None:
        """Sums and differences of two."""
        for vector, term in self.atoms.items():
            if len(vector) - Counter(vector).most_common(1)[0][1] < MOVED:
                continue  # it would explain whatever is so at one point alone
            for factor in (1, 2, 3, -1):
                rest = tuple(w - factor * x for w, x in zip(goal, vector, strict=True))
                other = self._affine(rest) if len(set(rest)) > 1 else None
                if other is not None:
                    if factor < 0:
                        return ("-", other, term)
                    return joined(other, ("*", number(factor), term) if factor > 1 else term)
        return None

    def listed(self, wanted: Sequence[int]) -> Term | None:
        """A rule for layers of which a list names some, or for those that it leaves; else None.

        >>> L, n = ("L",), ("n",)
        >>> depths = Counts([L], [{L: n} for n in (12, 1, 2, 3, 5, 7, 17, 40)])
        >>> depths.listed([4, 0, 0, 1, 1, 2, 4, 4])
        ('min', ('//', ('k', ('L',)), ('n', 3)), ('n', 4))
        >>> depths.listed([8, 1, 2, 2, 4, 5, 13, 36])
        ('-', ('k', ('L',)), ('min', ('//', ('k', ('L',)), ('n', 3)), ('n', 4)))
        >>> points = [{L: a, n: b} for a, b in ((9, 1), (1, 1), (9, 2), (8, 3), (17, 4), (2, 2))]
        >>> from symparam.tracing.recording.terms import text
        >>> text(Counts([L, n], points).listed([7, 0, 3, 2, 4, 0]))
        '((L // n) - (min(L, 2) // n))'
        """
        goal = tuple(wanted)
        for whole, rest in ((None, goal), *self._rests(goal)):
            found = (self._bounded(rest) or self._at_least(rest) or self._without_first(rest)
                     if min(rest) >= 0 else None)
            if found is not None:
                return found if whole is None else ("-", whole, found)
        return None

    def _bounded(self, goal: Vector) -> Term | None:
        """What grows up to a number."""
        most = max(goal)
        if most > MAX_LISTED or not MOVED <= goal.count(most) <= len(goal) - MOVED:
            return None
        return next((("min", term, number(most)) for vector, term in self.atoms.items()
                     if tuple(min(x, most) for x in vector) == goal), None)

    def _at_least(self, goal: Vector) -> Term | None:
        """What there are so many of where there are few layers, too."""
        least = min(goal)
        if least == 0 or not MOVED <= goal.count(least) <= len(goal) - MOVED:
            return None
        return next((("max", term, number(least)) for vector, term in self.atoms.items()
                     if tuple(max(x, least) for x in vector) == goal), None)

    def _without_first(self, goal: Vector) -> Term | None:
        """What comes every n-th, but for some of the first layers."""
        keys = [t for t in self.atoms.values() if t[0] == "k"]
        first = _quotients([("min", a, number(n)) for a in keys for n in FIRST], keys)
        for vector, term in vectors(first, self.points).items():
            other = self._affine(tuple(x + y for x, y in zip(goal, vector, strict=True)))
            if other is not None and len(set(vector)) > 1:
                return ("-", other, term)
        return None

    def _rests(self, goal: Vector) -> Iterator[tuple[Term, Vector]]:
        """What each key has beyond some counts."""
        for vector, term in self.atoms.items():
            if term[0] == "k":
                yield term, tuple(x - y for x, y in zip(vector, goal, strict=True))

    def rivals(self, goal: Vector) -> list[Term]:
        """Other rules with these counts, simple ones first.

        >>> L = ("L",)
        >>> found = Counts([L], [{L: 6}, {L: 7}, {L: 8}]).rivals((2, 2, 2))
        >>> ("//", ("k", ("L",)), ("n", 3)) in found, ("ceil", ("/", ("k", L), ("n", 4))) in found
        (True, True)
        """
        alike: dict[Vector, list[tuple[Vector, Term]]] = defaultdict(list)
        for vector, term in self._each():
            alike[_normal(vector)].append((vector, term))
        found = [rule for each in alike[_normal(goal)] if (rule := _to(goal, *each))]
        for vector, term in self.atoms.items():
            for factor in (1, 2, -1):
                rest = tuple(w - factor * x for w, x in zip(goal, vector, strict=True))
                for each in alike[_normal(rest)][:ALIKE]:
                    other = _to(rest, *each)
                    if other is not None and len(found) < MAX_RIVALS:
                        found.append(("-", other, term) if factor < 0 else joined(
                            other, ("*", number(factor), term) if factor > 1 else term))
        return found[:MAX_RIVALS]

    def _each(self) -> Iterator[tuple[Vector, Term]]:
        """Every atom with its vector, those that agree at every point too."""
        for term in self.all:
            vector = [whole_value(term, values) for values in self.points]
            if None not in vector:
                yield tuple(x for x in vector if x is not None), term

    def _affine(self, goal: Vector) -> Term | None:
        """A multiple of one atom, and a constant."""
        if goal in self.atoms:
            return self.atoms[goal]
        return next((rule for each in self.shapes.get(_normal(goal), ())
                     if (rule := _to(goal, *each))), None)


def _to(goal: Vector, vector: Vector, term: Term) -> Term | None:
    """The multiple of a term and the constant that bring its vector to another."""
    low, high = min(range(len(goal)), key=vector.__getitem__), max(
        range(len(goal)), key=vector.__getitem__)
    if vector[low] == vector[high]:
        return term if goal == vector else None
    factor = Fraction(goal[high] - goal[low], vector[high] - vector[low])
    if factor.denominator != 1 or factor == 0:
        return None
    offset = goal[low] - int(factor) * vector[low]
    return _affine_term(int(factor), term, offset)


def joined(first: Term, second: Term) -> Term:
    """A sum, a difference where the first is negative."""
    if first[0] == "*" and first[1][0] == "n" and first[1][1] == -1:
        return ("-", second, first[2])
    return ("+", first, second)


def _affine_term(factor: int, term: Term, offset: int) -> Term:
    if factor < 0 and offset > 0:
        return ("-", number(offset), term if factor == -1 else ("*", number(-factor), term))
    made = term if factor == 1 else ("*", number(factor), term)
    if offset == 0:
        return made
    return ("+", made, number(offset)) if offset > 0 else ("-", made, number(-offset))


def _normal(vector: Vector) -> Vector:
    """Differences to the first, without their common factor, the first that is not 0 positive."""
    steps = [x - vector[0] for x in vector]
    divisor = math.gcd(*steps)
    if divisor == 0:
        return tuple(steps)
    sign = next(1 if s > 0 else -1 for s in steps if s)
    return tuple(sign * s // divisor for s in steps)
