"""Expressions for numbers seen at points: those that the code computed, else those of a grammar.

Nothing here knows of modules: a dim is the vector of its values over the fitted points, and an
expression fits where it has the same vector. The simplest is taken; others refute it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import TypeAlias

from symparam.tracing.recording.terms import Term, Values, number, scaled, size, text, whole_value
from symparam.tracing.rules.rounding import rounded_multiple, rounded_quotient

Vector: TypeAlias = tuple[int, ...]
#: Terms that are combined with each other, the simplest first.
MAX_ATOMS = 160
MAX_PAIRS = 4000
#: A constant beside a rule is never larger: positions have offsets of some thousand at most.
MAX_OFFSET = 4096
FACTORS = (1, 2, 3, 4, 6)
#: Bits that a vector has to say beyond what it takes to choose a rule.
SURE = 8.0
#: Bits for a rounding rule: a factor, a step, a way to round.
ROUNDED = 24.0


def vectors(terms: Iterable[Term], points: Sequence[Values]) -> dict[Vector, Term]:
    """The simplest term for each vector of whole numbers over the points.

    >>> d = ("k", ("d",))
    >>> vectors([d, ("*", d, d)], [{("d",): 2}, {("d",): 5}])
    {(2, 5): ('k', ('d',)), (4, 25): ('*', ('k', ('d',)), ('k', ('d',)))}
    """
    found: dict[Vector, Term] = {}
    memos: list[dict[Term, object]] = [{} for _ in points]
    for term in sorted(set(terms), key=lambda t: (size(t), text(t))):
        vector = []
        for values, memo in zip(points, memos, strict=True):
            value = whole_value(term, values, memo)
            if value is None:
                break
            vector.append(value)
        else:
            found.setdefault(tuple(vector), term)
    return found


class Grammar:
    """Small expressions over atoms: multiples, products, quotients, sums, roundings.

    >>> d, n = ("k", ("d",)), ("k", ("n",))
    >>> text(Grammar({(1218, 3350, 2772): d, (6, 25, 9): n}).find((203, 134, 308)))
    '(d // n)'
    """

    def __init__(self, atoms: dict[Vector, Term]) -> None:
        usable = [(v, t) for v, t in atoms.items() if len(set(v)) > 1 and min(v) > 0]
        self.atoms = dict(usable[:MAX_ATOMS])
        self.leaves = frozenset(t for t in self.atoms.values() if t[0] == "k")
        self.basis = self._basis()
        self.ratios: dict[Vector, tuple[int, Term]] = {}
        self.steps: dict[Vector, tuple[int, Term]] = {}
        for vector, term in self.basis.items():
            divisor = math.gcd(*vector)
            self.ratios.setdefault(tuple(x // divisor for x in vector), (divisor, term))
            self.steps.setdefault(tuple(x - vector[0] for x in vector), (vector[0], term))

    def _basis(self) -> dict[Vector, Term]:
        """The atoms, their products, and their quotients where they are whole everywhere."""
        basis = dict(self.atoms)
        for (u, s), (v, t) in combinations_with_replacement(self.atoms.items(), 2):
            basis.setdefault(tuple(a * b for a, b in zip(u, v, strict=True)), ("*", s, t))
            for top, bottom, over, under in ((u, v, s, t), (v, u, t, s)):
                if all(a % b == 0 for a, b in zip(top, bottom, strict=True)):
                    basis.setdefault(tuple(a // b for a, b in zip(top, bottom, strict=True)),
                                     ("//", over, under))
        return {vector: term for vector, term in basis.items() if len(set(vector)) > 1}

    def find(self, wanted: Vector) -> Term | None:
        """The simplest expression with this vector that the grammar has; None where it has none.

        A rule is taken only where the vector says more than it takes to choose the rule: among
        many thousand, one would fit a few small numbers by chance.
        """
        if len(set(wanted)) == 1:
            return number(wanted[0])
        if min(wanted) < 0:
            return None
        known = information(wanted)
        for rule in (self._multiple, self._shifted, self._sum, self._triple, self._rounded):
            found = rule(wanted, known)
            if found is not None:
                return found
        return None

    def _price(self, *terms: Term) -> float:
        """What it takes to choose these terms: bits, and some more to be sure."""
        each = (math.log2(len(self.atoms if t in self.leaves else self.basis)) for t in terms)
        return sum(each) + SURE

    def _multiple(self, wanted: Vector, known: float) -> Term | None:
        """A rational multiple of one of the basis."""
        if wanted in self.basis and self._price(self.basis[wanted]) <= known:
            return self.basis[wanted]
        divisor = math.gcd(*wanted)
        hit = self.ratios.get(tuple(x // divisor for x in wanted)) if divisor else None
        if hit is None:
            return None
        factor = Fraction(divisor, hit[0])
        if self._price(hit[1]) + _bits(factor) > known:
            return None
        return scaled(factor, hit[1])

    def _shifted(self, wanted: Vector, known: float) -> Term | None:
        """A multiple of one of the basis, and a constant."""
        differences = tuple(x - wanted[0] for x in wanted)
        for factor in FACTORS:
            if any(x % factor for x in differences):
                continue
            hit = self.steps.get(tuple(x // factor for x in differences))
            if hit is None:
                continue
            offset = wanted[0] - factor * hit[0]
            if abs(offset) <= MAX_OFFSET and self._price(hit[1]) + _bits(
                    Fraction(factor)) + math.log2(1 + abs(offset)) <= known:
                return _plus(scaled(Fraction(factor), hit[1]), offset)
        return None

    def _sum(self, wanted: Vector, known: float) -> Term | None:
        """Multiples of two of the basis."""
        for first in FACTORS:
            for vector, term in list(self.basis.items())[:MAX_PAIRS]:
                rest = tuple(a - first * b for a, b in zip(wanted, vector, strict=True))
                if min(rest) <= 0:
                    continue
                for second in FACTORS:
                    if any(x % second for x in rest):
                        continue
                    hit = self.basis.get(tuple(x // second for x in rest))
                    if hit is not None and self._price(term, hit) + 4 <= known:
                        return ("+", scaled(Fraction(first), term), scaled(Fraction(second), hit))
        return None

    def _triple(self, wanted: Vector, known: float) -> Term | None:
        """A product of one of the basis with another."""
        for vector, term in list(self.basis.items())[:MAX_PAIRS]:
            if all(x % y == 0 for x, y in zip(wanted, vector, strict=True)):
                rest = tuple(x // y for x, y in zip(wanted, vector, strict=True))
                divisor = math.gcd(*rest)
                hit = self.ratios.get(tuple(x // divisor for x in rest)) if divisor else None
                if hit is None:
                    continue
                factor = Fraction(divisor, hit[0])
                if self._price(term, hit[1]) + _bits(factor) <= known:
                    return ("*", scaled(factor, hit[1]), term)
        return None

    def _rounded(self, wanted: Vector, known: float) -> Term | None:
        """A rational multiple of a key, rounded, to a multiple of a key or of a number too."""
        if len(self.leaves) == 0 or known < SURE + ROUNDED:
            return None
        keys = {v: t for v, t in self.atoms.items() if t in self.leaves}
        return rounded_multiple(wanted, keys) or rounded_quotient(wanted, keys)


def information(wanted: Vector) -> float:
    """How much the different values of a vector say, in bits.

    >>> information((64, 32, 32, 32)) < information((64, 40, 32, 96))
    True
    """
    return sum(math.log2(1 + abs(x)) for x in set(wanted))


def _bits(factor: Fraction) -> float:
    return 2 * math.log2(factor.numerator * factor.denominator)


def _plus(term: Term, offset: int) -> Term:
    if offset == 0:
        return term
    return ("+", term, number(offset)) if offset > 0 else ("-", term, number(-offset))


def grouped_by_shape(wanted: Iterable[Vector]) -> dict[bool, list[Vector]]:
    """Vectors that vary, and those that do not."""
    found: dict[bool, list[Vector]] = defaultdict(list)
    for vector in dict.fromkeys(wanted):
        found[len(set(vector)) > 1].append(vector)
    return found


def fit(wanted: Iterable[Vector], leaves: Sequence[Term], pool: Sequence[Term],
        points: Sequence[Values], chosen: Sequence[Term] = ()) -> dict[Vector, Term]:
    """A term for each vector that has one: a number, one that the code computed, one of a grammar.

    Args:
        wanted: the vectors.
        leaves: keys.
        pool: what the code computed of them.
        points: where the vectors were seen.
        chosen: the larger and the smaller of what the code compared; tried last.
    """
    split = grouped_by_shape(wanted)
    found: dict[Vector, Term] = {v: number(v[0]) for v in split[False]}
    computed = vectors([*leaves, *pool], points)
    found |= {v: computed[v] for v in split[True] if v in computed}
    alone = vectors(leaves, points)
    for tried in ("keys", "computed", "found", "chosen") if chosen else (
            "keys", "computed", "found"):
        left = [v for v in split[True] if v not in found]
        if not left:
            break
        atoms = {"found": found, "computed": computed}.get(tried, {})
        if tried == "chosen":
            atoms = vectors(chosen, points)
        grammar = Grammar(atoms if tried == "computed" else {**alone, **atoms})
        found |= {v: term for v in left if (term := grammar.find(v)) is not None}
    return found
