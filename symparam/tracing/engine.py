"""The whole way from a target to a trace: propose, fit, refute, count copies, audit."""

from __future__ import annotations

import random
import time
from collections.abc import Collection, Mapping
from typing import Any

from symparam.tracing import draws
from symparam.tracing.cases import branches, followed, parted
from symparam.tracing.domain import Domain, Values
from symparam.tracing.kinds import classify, idle, keep_still, shallow
from symparam.tracing.probing import Prober, Progress, TimeIsUp, TraceError, first_table
from symparam.tracing.rivals import telling
from symparam.tracing.rows import disagreements
from symparam.tracing.sizes import JOINING, Dim, Sizes
from symparam.tracing.structure import Structure
from symparam.tracing.tables import Table
from symparam.tracing.target import Target
from symparam.tracing.terms import Path
from symparam.tracing.turning import turn, turn_all

#: Rounds in which counterexamples join the fit.
ROUNDS = 3
#: Times that the search is begun anew with keys held that no rule was found for.
RESTARTS = 3
#: Points at which keys that nothing follows are moved once more.
STILL = 3
#: Points that are drawn besides where a dim has no rule: a few small numbers say little.
FURTHER = 4
#: Comparisons that dims are split on.
MAX_CASES = 4
#: Tries for a legal point of the second generator.
TRIES = 4


#: How many layers there are where there are many; of so many keys, each once.
DEEP, MAX_DEEP = (17, 40), 8
#: What every usual period divides: there a quotient is the same rounded up and down.
PERIOD = 12
#: The share of points beside what the target is given, and of the keys that move there.
NEAR = .3
#: Where a build with many layers takes longer, no more of them are built.
MAX_SECONDS = 2.0


class Finder:
    """One search, from a base with some keys held.

    Attributes:
        held: keys that are not moved.
        before: the search that was in vain, whose kinds of keys are known.
        culprits: those of them that no rule was found for, in a search before.
        domain, sizes, structure: what is known, as far as it was reached.
        reached: 0 at first, 1 with terms for dims, 2 with rows.
        follows: the keys that each dim without a rule follows.
        idle: switches that change nothing.
        held_out: fresh points at which all rows were right.
        witnesses: those points, and such at which all was right in a round before.
        failing: patterns that a held-out point still disagrees with.
    """

    domain: Domain
    sizes: Sizes
    structure: Structure
    last: list[tuple[Values, Table]]

    def __init__(self, prober: Prober, base: Mapping[Path, Any], full: Table, held: frozenset[Path],
                 points: int, seed: int, before: Finder | None = None) -> None:
        self.prober, self.given, self.full, self.held = prober, dict(base), full, held
        self.points, self.rng = points, random.Random(f"{prober.target.name} {seed}")
        self.second = random.Random(f"held out {prober.target.name} {seed}")
        self.reached, self.before = 0, before
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
        self.prober.stage("record")
        recorded = self.prober.recorded(base)
        self.domain = Domain(self.prober, base, first, recorded, self.rng, self.held)
        if self.before is None:
            classify(self.domain)
            self.idle = idle(self.domain)
        else:
            known = self.before.domain
            self.domain.kinds = {p: "held" if p in self.held else k for p, k in known.kinds.items()}
            self.domain.needed, self.idle = dict(known.needed), self.before.idle
        self.sizes = Sizes(self.domain)
        self.sizes.draw()
        self.sizes.fit()
        if self.sizes.unknown():
            self.sizes.draw(FURTHER, (draws.wild, draws.multiples))
            self.sizes.fit()
        self.reached = 1
        self.refute()
        keep_still(self.domain, [self.sizes.points[0], *self.sizes.points[-STILL:]])
        turn(self.domain, self.sizes)
        self.follows = followed(self.domain, self.sizes, self.sizes.unknown())
        self.structure = Structure(self.domain, self.sizes)
        self.structure.draw((dict(self.given), self.full))
        culprits = self.settled()
        if culprits:
            return culprits
        self.reached = 2
        culprits = self.together()
        if not culprits and not self.failing:
            turn_all(self.domain, self.structure.rows, self.seen())
            self.domain.look_back()
        return culprits

    def settled(self) -> frozenset[Path]:
        """Find the rows, where need be in the base's case of what layers are compared with."""
        culprits = self.structure.settle()
        for _ in range(MAX_CASES):
            if not culprits or not parted(self.domain, self.structure, culprits):
                break
            culprits = self.structure.culprits()
        return culprits

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
            if not self._round():
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

    # -- structure and sizes ------------------------------------------------------------------

    def together(self) -> frozenset[Path]:
        """Structure and sizes moved at once; keys that have to be held where rules fail."""
        for _ in range(2 * ROUNDS):
            failed = self._joint_round()
            if not failed:
                self.failing = []
                return frozenset()
            self.failing = sorted({p for _, _, patterns in failed for p in patterns})
            self.structure.seen += [(values, table) for values, table, _ in failed]
            culprits = self.settled()
            if culprits:
                return culprits
        return self.structure.followed(self.failing)

    def _joint_round(self) -> list[tuple[Values, Table, list[str]]]:
        self.prober.stage("together", self.points)
        failed = self._given() or self._built_before() or self._told_apart()
        deep = [(path, 1) for path in self.structure.keys[:MAX_DEEP]]
        deep += [(path, PERIOD) for path in self.structure.divided()[:MAX_DEEP]]
        for _ in range(self.points if self.structure.keys and not failed else 0):
            found = self.deep_point(*deep.pop()) if deep else (
                self.second.random() < NEAR and self.near_point()) or self.joint_point()
            self.prober.step()
            if found is None:
                continue
            wrong = disagreements(self.structure.rows, *found)
            if wrong and self._other_case(found[0]):
                continue
            if wrong:
                failed.append((*found, wrong))
                if len(failed) == JOINING:
                    break
            else:
                self.held_out += 1
                self.witnesses.append(found[0])
        return failed

    def _given(self) -> list[tuple[Values, Table, list[str]]]:
        """The target as it is given, deeper than where the search began, if that is wrong."""
        wrong = disagreements(self.structure.rows, self.given, self.full, given=True)
        return [(dict(self.given), self.full, wrong)] if wrong else []

    def _built_before(self) -> list[tuple[Values, Table, list[str]]]:
        """What was built anywhere on the way, within what rows say something of, and is wrong."""
        moved = set(self.domain.of_kind("size", "structure"))
        failed: list[tuple[Values, Table, list[str]]] = []
        for values, table in self.prober.accepted():
            if values.keys() != self.given.keys() or not self._told(values) or any(
                    values[p] != v for p, v in self.given.items() if p not in moved):
                continue
            wrong = disagreements(self.structure.rows, values, table)
            if wrong and not self._other_case(values):
                failed.append((values, table, wrong))
                if len(failed) == JOINING:
                    break
        return failed

    def _told_apart(self) -> list[tuple[Values, Table, list[str]]]:
        """Points where a rule for copies and another that fits as well differ, and it is wrong."""
        seen = [*(v for v, _ in self.structure.seen), *self.witnesses]
        failed: list[tuple[Values, Table, list[str]]] = []
        for values, table in telling(self.structure, seen, self.second):
            wrong = disagreements(self.structure.rows, values, table)
            if wrong and not self._other_case(values):
                failed.append((values, table, wrong))
        return failed

    def _told(self, values: Values) -> bool:
        """Whether rows say something of a point."""
        return not self.structure.excluded(values) and self.domain.kept(values)

    def joint_point(self) -> tuple[Values, Table] | None:
        """A fresh point with structure moved; None where none is accepted."""
        for attempt in range(TRIES):
            values = self.domain.drawn(draws.fresh if attempt < 2 else draws.chained)
            values = self.domain.kept_near(
                {**values, **{p: draws.structural(self.second, self.domain.base[p])
                              for p in self.structure.keys}})
            if self.structure.excluded(values):
                continue
            table = self.prober.table(values)
            if table is not None and self.domain.kept(values):
                return values, table
        values = {**self.second.choice(self.structure.seen)[0]}
        path = self.second.choice(self.structure.keys)
        values[path] = max(1, values[path] + self.second.choice((-2, -1, 1, 2)))
        return self._built(self.domain.kept_near(values))

    def near_point(self) -> tuple[Values, Table] | None:
        """A point beside the target's own numbers; None where it is refused."""
        drawn = self.domain.drawn(draws.chained)
        drawn |= {p: draws.structural(self.second, self.domain.base[p])
                  for p in self.structure.keys}
        values = self.domain.kept_near({p: drawn[p] if self.second.random() < NEAR else v
                                        for p, v in self.given.items()})
        return self._built(values)

    def _built(self, values: Values) -> tuple[Values, Table] | None:
        """A point with its tensors, where rows say something of it and it is accepted."""
        table = self.prober.table(values) if self._told(values) else None
        return None if table is None else (values, table)

    def deep_point(self, path: Path, period: int) -> tuple[Values, Table] | None:
        """A point with many layers by one key; None where it is refused, or takes too long.

        Args:
            path: the key.
            period: what divides their number.
        """
        if self.deep_seconds > MAX_SECONDS:
            return None
        low = max(DEEP[0], int(self.domain.base[path]))
        values = {**self.second.choice(self.sizes_points()),
                  path: -(-self.second.randint(low, max(DEEP[1], low)) // period) * period}
        values = self.domain.kept_near(values)
        start, found = time.monotonic(), self._built(values)
        self.deep_seconds = time.monotonic() - start
        return found

    def _other_case(self, values: Values) -> bool:
        """Whether the sizes of a point have other tensors even with the base's structure."""
        sizes = {**values, **{p: self.domain.base[p] for p in self.structure.keys}}
        found = self.domain.settled(sizes)
        if found is None:
            self.domain.bisected(sizes)  # which key it is
        return found is None or found[0] != sizes

    def sizes_points(self) -> list[Values]:
        """Legal sizes."""
        return [values for values, _ in self.sizes.points]


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
        for _ in range(RESTARTS):
            culprits = finder.run()
            if not culprits:
                return finder, ""
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
