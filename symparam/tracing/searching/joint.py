"""Structure and sizes moved at once: points that hold rows and their copies to account."""

from __future__ import annotations

import random
import time

from symparam.tracing.recording.terms import Path
from symparam.tracing.searching import draws
from symparam.tracing.searching.cases import parted
from symparam.tracing.searching.domain import Domain, Values
from symparam.tracing.searching.probing import Prober
from symparam.tracing.searching.rivals import telling
from symparam.tracing.searching.rows import disagreements
from symparam.tracing.searching.sizes import JOINING, Sizes
from symparam.tracing.searching.structure import Structure
from symparam.tracing.searching.tables import Table

#: Rounds in which counterexamples join the fit.
ROUNDS = 3
#: Comparisons that dims are split on.
MAX_CASES = 4
#: Further numbers of each key of which no rule was found.
MORE = 5
#: Tries for a legal point of the second generator.
TRIES = 4
#: How many layers there are where there are many; of so many keys, each once.
DEEP, MAX_DEEP = (17, 40), 8
#: How many more of a key there are at most, of which another may have no more.
BEYOND = 40
#: What every usual period divides: there a quotient is the same rounded up and down.
PERIOD = 12
#: Numbers of a key, each built one after the other, where a count takes several quotients of it.
EACH = 30
#: The share of points beside what the target is given, and of the keys that move there.
NEAR = .3
#: Where a build with many layers takes longer, no more of them are built.
MAX_SECONDS = 2.0

#: A point, its tensors, and the patterns of which rows say otherwise.
Failed = tuple[Values, Table, list[str]]


class Joint:
    """The last stage of a search: rows with their copies, and what refutes them.

    Attributes:
        prober, domain, sizes, structure: what is known.
        given, full: the target's own numbers, and its tensors there.
        points: how many points are drawn.
        second: draws points that nothing was fitted to.
        witnesses, held_out: such points at which all was right, and their number.
        failing: patterns that a point still disagrees with.
        deep_seconds: how long the last build with many layers took.
        begun: keys that it begins with at another number, since more shapes show there.
        again: whether a search before was in vain: none begins elsewhere after this one.
    """

    prober: Prober
    domain: Domain
    sizes: Sizes
    structure: Structure
    given: Values
    full: Table
    points: int
    second: random.Random
    witnesses: list[Values]
    held_out: int
    failing: list[str]
    deep_seconds: float
    begun: Values
    again: bool

    def settled(self) -> frozenset[Path]:
        """Find the rows, where need be in the base's case of what layers are compared with."""
        culprits = self.structure.settle()
        once = sorted(culprits - self.structure.looked_at, key=str)[:MAX_DEEP]
        for path in once:
            self.structure.draw_more([path], len(self.structure.seen) + MORE)
        if once:
            self.structure.looked_at |= culprits
            culprits = self.structure.settle()
        for _ in range(MAX_CASES):
            if not culprits:
                break
            upward = bool(self.begun) or not self.structure.wider(culprits)
            if not parted(self.domain, self.structure, culprits, upward, upward or self.again):
                break
            culprits = self.structure.culprits()
        return culprits

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

    def _joint_round(self) -> list[Failed]:
        self.prober.stage("together", self.points)
        failed = (self._given() or self._built_before() or self._told_apart()
                  or self._one_after_the_other())
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

    def _given(self) -> list[Failed]:
        """The target as it is given, deeper than where the search began, if that is wrong."""
        wrong = disagreements(self.structure.rows, self.given, self.full, given=True)
        return [(dict(self.given), self.full, wrong)] if wrong else []

    def _built_before(self) -> list[Failed]:
        """What was built anywhere on the way, within what rows say something of, and is wrong."""
        moved = set(self.domain.of_kind("size", "structure"))
        failed: list[Failed] = []
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

    def _told_apart(self) -> list[Failed]:
        """Points where a rule for copies and another that fits as well differ, and it is wrong."""
        seen = [*(v for v, _ in self.structure.seen), *self.witnesses]
        failed: list[Failed] = []
        for values, table in telling(self.structure, seen, self.second):
            wrong = disagreements(self.structure.rows, values, table)
            if wrong and not self._other_case(values):
                failed.append((values, table, wrong))
        return failed

    def _one_after_the_other(self) -> list[Failed]:
        """Each of the first numbers of a key that a count takes several quotients of, if wrong."""
        failed: list[Failed] = []
        for path in self.structure.divided(2)[:MAX_DEEP]:
            began = time.process_time()
            for number in range(1, EACH + 1):
                found = self._built({**self.domain.base, path: number})
                wrong = disagreements(self.structure.rows, *found) if found else []
                if found and wrong and not self._other_case(found[0]):
                    failed.append((*found, wrong))
                if len(failed) == JOINING or time.process_time() - began > MAX_SECONDS:
                    break
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
        for less, more in self.structure.at_most():
            if less == path and values[less] > values[more]:  # rules say nothing of fewer
                values[more] = values[less] + self.second.randint(0, BEYOND)
        values = self.domain.kept_near(values)
        start, found = time.process_time(), self._built(values)
        self.deep_seconds = time.process_time() - start
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
