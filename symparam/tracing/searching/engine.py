"""The whole way from a target to a trace: propose, fit, refute, count copies, audit."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from symparam.tracing.recording.terms import Path
from symparam.tracing.searching import draws, told
from symparam.tracing.searching.bases import lifted, richer, shallow
from symparam.tracing.searching.cases import branches, followed
from symparam.tracing.searching.domain import Domain, Values
from symparam.tracing.searching.intervals import steady
from symparam.tracing.searching.joint import MAX_CASES, ROUNDS, Joint
from symparam.tracing.searching.kinds import classify, idle, keep_still
from symparam.tracing.searching.lengths import list_lengths
from symparam.tracing.searching.probing import Prober, Progress, TimeIsUp, TraceError, first_table
from symparam.tracing.searching.sizes import JOINING, Dim, Sizes
from symparam.tracing.searching.structure import Structure
from symparam.tracing.searching.tables import Table
from symparam.tracing.searching.turning import turn, turn_all
from symparam.tracing.searching.wholes import whole_numbers
from symparam.tracing.sources.target import Target

#: Times that the search is begun anew with keys held that no rule was found for.
RESTARTS = 4
#: The share of the given time after which it is not begun anew with more shapes.
EARLY = .22
#: Keys that the search begins with at another number than the target's, where more shows then.
MAX_RICHER = 2
#: Points at which keys that nothing follows are moved once more.
STILL = 3
#: Points that are drawn besides where a dim has no rule: a few small numbers say little.
FURTHER = 4


class Finder(Joint):
    """One search, from a base with some keys held.

    Attributes:
        held: keys that are not moved.
        before: the search that was in vain, whose kinds of keys are known.
        culprits: those of them that no rule was found for, in a search before.
        domain, sizes, structure: what is known, as far as it was reached.
        reached: 0 at first, 1 with terms for dims, 2 with rows.
        follows: the keys that each dim without a rule follows.
        idle: switches that change nothing.
        begun: keys that it begins with at another number, since more shapes show there.
        passed: whether it, or the one before it that began elsewhere, passed over one number alone.
        lengths: keys that are as many as lists have elements.
        start: the target's own numbers with as few layers as show every kind of tensor.
        held_out: fresh points at which all rows were right.
        witnesses: those points, and such at which all was right in a round before.
        failing: patterns that a held-out point still disagrees with.
    """

    last: list[tuple[Values, Table]]

    def __init__(self, prober: Prober, base: Mapping[Path, Any], full: Table, held: frozenset[Path],
                 points: int, seed: int, before: Finder | None = None) -> None:
        self.prober, self.given, self.full, self.held = prober, dict(base), full, held
        self.points, self.rng = points, random.Random(f"{prober.target.name} {seed}")
        self.second = random.Random(f"held out {prober.target.name} {seed}")
        self.reached, self.before, self.again = 0, before, before is not None
        self.passed = False
        self.begun: Values = {}
        self.lengths: frozenset[Path] = before.lengths if before else frozenset()
        self.follows: dict[Dim, frozenset[Path]] = {}
        self.idle: frozenset[Path] = frozenset()
        self.held_out = 0
        self.failing: list[str] = []
        self.witnesses: list[Values] = []
        self.culprits: frozenset[Path] = frozenset()
        self.deep_seconds = 0.0

    def run(self) -> frozenset[Path]:
        """All stages; keys of structure that have to be held, where a search was in vain."""
        movable = {p: v for p, v in self.given.items() if p not in self.held}
        base, first = shallow(self.prober, self.given, self.full, movable)
        self.start = dict(base)
        if self.begun and (more := self.prober.table({**base, **self.begun})) is not None:
            base, first = {**base, **self.begun}, more
        if self.before is not None and base == self.before.start and self.held.isdisjoint(
                self.before.moved()):
            self.go_on(self.before)
        else:
            self.begin(base, first)
        culprits = self._rows()
        still = {p for p in culprits if steady(self.domain, p, self.structure.seen)}
        if still:
            self.domain.kinds |= dict.fromkeys(still, "inert")
            self.witnesses = self._without(self.witnesses, still)
            culprits = self._rows()
        return culprits

    def _rows(self) -> frozenset[Path]:
        """Rows with their copies; keys of structure that have to be held, where there are none."""
        self.reached = 1
        self.structure = Structure(self.domain, self.sizes)
        self.structure.draw((dict(self.given), self.full))
        culprits = self.settled()
        if culprits:
            return culprits
        if self.structure.loose and self.moved():  # what is begun with elsewhere has no rule
            return frozenset(self.moved())
        self.reached = 2
        culprits = self.together()
        if not culprits and not self.failing:
            turn_all(self.domain, self.structure.rows, self.seen())
            self.domain.look_back()
        return culprits

    def begin(self, base: Values, first: Table) -> None:
        """What each key does, and a term for each dim, with the base's structure."""
        if self.before is None:
            self.within(base, first)
            classify(self.domain)
            for elsewhere in (lifted, *(richer,) * MAX_RICHER):
                if (more := elsewhere(self.domain)) is not None:
                    self.within(*more)
                    classify(self.domain)
            self.idle = idle(self.domain)
        else:
            base, first = self.moved_too(self.before, base, first)
            self.within(base, first)
            known = self.before.domain
            self.domain.kinds = {p: "held" if p in self.held else k for p, k in known.kinds.items()}
            self.domain.needed, self.idle = dict(known.needed), self.before.idle
        self._fit_sizes()
        self.reached = 1
        self.refute()
        held = keep_still(self.domain, [self.sizes.points[0], *self.sizes.points[-STILL:]])
        if held:
            self._follow(held)
        turn(self.domain, self.sizes)
        self.follows = followed(self.domain, self.sizes, self.sizes.unknown())

    def _fit_sizes(self) -> None:
        """A term for each dim, of points that are drawn for it."""
        self.sizes = Sizes(self.domain)
        self.sizes.draw()
        self.sizes.fit()
        if self.sizes.unknown():
            self.sizes.draw(FURTHER, (draws.wild, draws.multiples))
            self.sizes.fit()

    def _follow(self, paths: Collection[Path]) -> None:
        """Sizes once more with keys moved that only some numbers of show; they are held where
        that leaves more dims without a rule."""
        before, held_out, witnesses = self.sizes, self.held_out, [*self.witnesses]
        self.domain.kinds |= dict.fromkeys(paths, "size")
        self._fit_sizes()
        self.refute()
        if len(self.sizes.unknown()) > len(before.unknown()):
            self.domain.kinds |= dict.fromkeys(paths, "held")
            self.sizes, self.held_out, self.witnesses = before, held_out, witnesses

    def within(self, base: Values, first: Table) -> None:
        """Begin at a base: record what the target computes there."""
        self.prober.stage("record")
        self.domain = Domain(self.prober, base, first, self.prober.recorded(base), self.rng,
                             self.held)

    def moved(self) -> dict[Path, Any]:
        """Keys that the search begins with at a number with which there are more kinds of tensors.
        """
        return {p: v for p, v in self.domain.base.items() if v != self.start[p]}

    def moved_too(self, before: Finder, base: Values, first: Table) -> tuple[Values, Table]:
        """A base with the keys moved that a search before had moved, but for what is held now."""
        values = {**base, **{p: v for p, v in before.moved().items() if p not in self.held}}
        table = self.prober.table(values)
        return (base, first) if table is None else (values, table)

    def go_on(self, before: Finder) -> None:
        """Take over from a search before what no key that is held now was moved for."""
        self.domain, self.sizes, self.idle = before.domain, before.sizes, before.idle
        self.follows, self.reached, self.held_out = before.follows, 1, self.points
        self.domain.held = self.held
        self.domain.kinds |= dict.fromkeys(self.held & self.domain.kinds.keys(), "held")
        for path in self.held:
            self.domain.strange.pop(path, None)
        self.witnesses = self._without(before.witnesses, self.held)
        if self.sizes.extra:
            self.sizes.extra.clear()
            self.sizes.fit()

    def _without(self, points: Sequence[Values], paths: Collection[Path]) -> list[Values]:
        """The points at which no key of some was moved."""
        base = self.domain.base
        return [v for v in points if all(v[path] == base[path] for path in paths)]

    def seen(self) -> list[Values]:
        """Where all rows are right: a point that tells shapes apart first, then fresh ones."""
        fresh = [*reversed(self.witnesses), *(v for v, _ in self.structure.seen)]
        return [self.structure.generic()[0], *fresh, self.given, *self.sizes_points()]

    # -- sizes --------------------------------------------------------------------------------

    def refute(self) -> None:
        """Fresh points of the second generator; what one refutes is fitted anew.

        What is refuted in every round is no rule, and left as a number; then a rule is sought in
        the case that the base is of.
        """
        for _ in range(ROUNDS):
            if not self._round() and not self._tell():
                break
        else:
            self._give_up()
        split = [branches(self.domain, self.sizes) for _ in range(MAX_CASES)
                 if self.sizes.unknown()]
        if any(split) and self._round():
            self._give_up()

    def _give_up(self) -> None:
        """Leave as numbers what fresh points refute again and again."""
        while True:
            wrong = self._round()
            again = {dim for v, t in self.last for dim in self.sizes.wrong(v, t)}
            if not wrong:
                return
            self.sizes.give_up(wrong | again)

    def _tell(self) -> bool:
        """Points where a term and another that agrees with it everywhere differ; whether one of
        these refutes it."""
        seen = [*(v for v, _ in self.sizes.points), *self.witnesses]
        wrong = [(values, table) for values, table in told.telling(self.sizes, seen, self.second)
                 if self.sizes.wrong(values, table)]
        for values, table in wrong:
            self.sizes.join(values, table)
            self.domain.kinds |= {p: "size" for p in self.domain.of_kind("inert")
                                  if values[p] != self.domain.base[p]}
        return bool(wrong)

    def _round(self) -> set[Any]:
        """One round of held-out points; the dims that were wrong at some of them."""
        self.prober.stage("held out", self.points)
        self.last = []
        wrong: set[Any] = set()
        for good in range(self.points):
            values, table = self.domain.point(draws.fresh)
            self.prober.step()
            here = self.sizes.wrong(values, table)
            if here:
                wrong |= set(here)
                self.last.append((values, table))
                if len(self.last) == JOINING:
                    break
            else:
                self.held_out = good + 1
                self.witnesses.append(values)
        for values, table in self.last:
            self.sizes.join(values, table)
        return wrong


def search(target: Target, base: Mapping[Path, Any], hold: Collection[Path], points: int, seed: int,
           seconds: float | None, progress: Progress | None) -> tuple[Finder, str]:
    """Search, and begin anew with what follows no rule held; with why it stopped early, if it did.

    Raises:
        TraceError: the target does not build.
    """
    prober = Prober(target, seconds, progress)
    try:
        full = first_table(prober, base)
    except TimeIsUp:
        raise TraceError(target.text, "the time that was given was up before anything was found"
                         ) from None
    held = frozenset(hold)
    finder = Finder(prober, base, full, held, points, seed)
    try:
        finder.given = base = whole_numbers(prober, base, full, held)
        finder.lengths = list_lengths(prober, base, full, held)
        finder.held = held = held | finder.lengths
        for _ in range(RESTARTS):
            culprits = finder.run()
            if not culprits:
                return finder, ""
            passed = finder.passed or finder.structure.passed
            wider = finder.structure.wider(culprits) if finder.before is None and not (
                finder.begun or finder.again) and prober.used() < EARLY else {}
            if wider or (passed and not finder.again):
                lengths = finder.lengths
                finder = Finder(prober, base, full, held, points, seed)
                finder.begun, finder.lengths, finder.passed = wider, lengths, passed
                finder.again = not wider
                continue
            held |= culprits
            blamed = finder.culprits | culprits
            finder = Finder(prober, base, full, held, points, seed, finder)
            finder.culprits = blamed
        finder.run()
    except TimeIsUp:
        return finder, "the time that was given was up"
    except KeyboardInterrupt:
        return finder, "interrupted"
    return finder, ""
