"""Sizes: the tensors of the base at drawn points, an expression for each dim, and refutation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from symparam.tracing.recording.terms import Path, Term, key, keys_in, number, whole_value
from symparam.tracing.rules.fitting import Vector, fit
from symparam.tracing.searching.domain import Domain, Values
from symparam.tracing.searching.draws import STYLES, Drawing
from symparam.tracing.searching.rows import UNKNOWN
from symparam.tracing.searching.tables import Table

#: Points besides the base that expressions are fitted to at first.
FITTED = 6
#: Counterexamples of one round that join the fit.
JOINING = 3
Dim = tuple[str, int]


class Sizes:
    """A term for each axis of each tensor of the base.

    Attributes:
        points: where the target was built with the base's tensors, and what was there.
        terms: what was found; a dim without a rule is :data:`UNKNOWN` with its base value.
        extra: further values of single dims, at points of another structure.
    """

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.points: list[tuple[Values, Table]] = [(dict(domain.base), domain.first)]
        self.extra: dict[Dim, list[tuple[Values, int]]] = {}
        self.terms: dict[Dim, Term] = {}
        self.given_up: set[Dim] = set()

    def draw(self, count: int = FITTED, styles: Sequence[Drawing] = STYLES) -> None:
        """Points to fit to, in each style in turn."""
        self.domain.prober.stage("points", count)
        for i in range(count):
            self.points.append(self.domain.point(styles[i % len(styles)]))
            self.domain.prober.step()

    def leaves(self) -> list[Term]:
        """The keys that an expression may have."""
        return [key(p) for p in self.domain.base
                if self.domain.kinds.get(p) in ("size", "structure")]

    def pool(self) -> list[Term]:
        """What the code computed at the base."""
        return list(self.domain.recorded.terms)

    def fit(self) -> None:
        """Find a term for each dim at all points that were seen."""
        groups: dict[tuple[tuple[int, ...], Vector], list[Dim]] = defaultdict(list)
        for dim, (where, vector) in self._vectors().items():
            groups[where, vector].append(dim)
        by_points: dict[tuple[int, ...], list[Vector]] = defaultdict(list)
        for where, vector in groups:
            by_points[where].append(vector)
        extra = self._extra_points()
        for where, wanted in by_points.items():
            points = [v for v, _ in self.points] + [extra[i] for i in where]
            found = fit(wanted, self.leaves(), self.pool(), points,
                        self.domain.recorded.extremes())
            for vector in wanted:
                for dim in groups[where, vector]:
                    self.terms[dim] = found.get(vector, self._unknown(vector))
        for dim in self.given_up:
            self.terms[dim] = self._unknown(self._vectors([dim])[dim][1])
        self._adopt()

    def _adopt(self) -> None:
        """Move the keys that terms have, though nothing followed them when they alone moved."""
        numbers = self.domain.numbers()
        for path in frozenset().union(*map(keys_in, set(self.terms.values()))):
            if self.domain.kinds.get(path) == "inert" and path in numbers:
                self.domain.kinds[path] = "size"

    def _unknown(self, vector: Vector) -> Term:
        return (UNKNOWN, number(vector[0]), number(hash(vector)))

    def _extra_points(self) -> list[Values]:
        self._places: dict[tuple[tuple[Path, Any], ...], int] = {}
        found: list[Values] = []
        for seen in self.extra.values():
            for values, _ in seen:
                place = tuple(sorted(values.items(), key=str))
                if place not in self._places:
                    self._places[place] = len(found)
                    found.append(values)
        return found

    def _vectors(self, only: Iterable[Dim] | None = None
                 ) -> dict[Dim, tuple[tuple[int, ...], Vector]]:
        """The values of each dim at all points, and at which further points it has some."""
        self._extra_points()
        found: dict[Dim, tuple[tuple[int, ...], Vector]] = {}
        dims = only if only is not None else (
            (name, axis) for name, t in self.domain.first.items() for axis in range(len(t.shape)))
        for name, axis in dims:
            seen = self.extra.get((name, axis), [])
            where = tuple(self._places[tuple(sorted(v.items(), key=str))] for v, _ in seen)
            found[name, axis] = where, (*(table[name].shape[axis] for _, table in self.points),
                                        *(value for _, value in seen))
        return found

    def wrong(self, values: Mapping[Path, Any], table: Table) -> list[Dim]:
        """The dims that a point with the base's tensors refutes."""
        memo: dict[Term, Any] = {}
        return [(name, axis) for name, tensor in table.items()
                for axis, x in enumerate(tensor.shape)
                if (term := self.terms[name, axis])[0] != UNKNOWN
                and whole_value(term, values, memo) != x]

    def join(self, values: Values, table: Table) -> None:
        """A counterexample is one more point to fit."""
        self.points.append((values, table))
        self.fit()

    def give_up(self, dims: Iterable[Dim]) -> None:
        """Leave dims as numbers: what was found for them was refuted too often."""
        self.given_up |= set(dims)
        self.fit()

    def unknown(self) -> list[Dim]:
        """The dims without a rule."""
        return [dim for dim, term in self.terms.items() if term[0] == UNKNOWN]
