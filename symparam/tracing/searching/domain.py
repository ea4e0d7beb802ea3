"""Where a trace is exact: keys, relations that have to hold, and the points that are legal."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from symparam.traced.records import KeyKind
from symparam.tracing.recording.records import Comparison, Recording
from symparam.tracing.recording.terms import Path, Term, number
from symparam.tracing.searching.draws import STYLES, Drawing, chained, structural, tamed
from symparam.tracing.searching.probing import Prober
from symparam.tracing.searching.relations import broken, outcome, repaired
from symparam.tracing.searching.tables import Table, signature

Values = dict[Path, Any]
#: Builds in which comparisons whose answer changed are told apart.
MAX_SUSPECTS = 16
#: Points with other tensors of which it is looked up which key brought them.
MAX_LOST = 4
#: Why a relation is needed whose other side nobody could build.
UNBUILT = "not built"
#: Points at which one that is refused is answered otherwise once more, and drawings for them.
ELSEWHERE, GUESSES = 3, 12
#: More comparisons than so many are no rule.
MAX_KEPT = 4


class Domain:
    """The keys of a target and the points that it accepts without other tensors.

    Attributes:
        base: where the trace begins.
        first: the tensors there.
        kinds: what moving each key does.
        needed: relations without which a point is refused or has other tensors.
        said: what the target says where one of these does not hold.
        barred: comparisons that cannot be answered otherwise, or are refused where they are.
        turned: points at which one was turned and all was as it was found.
        refused: how often a key alone could not be moved.
        strange: points at which a key alone brought other tensors.
        lost: points that were left out since they had other tensors.
        held: keys that are kept by request.
    """

    def __init__(self, prober: Prober, base: Mapping[Path, Any], first: Table, recorded: Recording,
                 rng: random.Random, held: Iterable[Path] = ()) -> None:
        self.prober, self.base, self.first, self.rng = prober, dict(base), first, rng
        self.recorded, self.held = recorded, frozenset(held)
        self.signature = signature(first)
        self.kinds: dict[Path, KeyKind] = {}
        self.needed: dict[Comparison, str] = {}
        self.said: dict[Comparison, str] = {}
        self.barred: set[Comparison] = set()
        self.turned: list[Values] = []
        self.strange: dict[Path, list[Values]] = {}
        self.lost: list[Values] = []
        self.refused: Counter[Path] = Counter()

    # -- keys ---------------------------------------------------------------------------------

    def numbers(self) -> dict[Path, int]:
        """The keys that are whole positive numbers and not held."""
        return {path: value for path, value in self.base.items()
                if type(value) is int and value > 0 and path not in self.held}

    def of_kind(self, *kinds: KeyKind) -> list[Path]:
        """The keys of some kinds."""
        return [path for path, kind in self.kinds.items() if kind in kinds]

    def movable(self) -> dict[Path, int]:
        """The keys that sizes are drawn for."""
        return {path: base for path, base in self.numbers().items()
                if self.kinds.get(path, "size") == "size" and (
                    self.refused[path] < 2 or self.rng.random() < .15)}

    # -- points -------------------------------------------------------------------------------

    def same(self, values: Mapping[Path, Any]) -> Table | None:
        """The tensors at a point; None where it is refused or has others than the base."""
        table = self.prober.table(values)
        return table if table is not None and signature(table) == self.signature else None

    def point(self, style: Drawing | None = None) -> tuple[Values, Table]:
        """A point with the base's tensors, with as many keys moved as can be.

        Args:
            style: how keys are drawn; in turn where it is not said.
        """
        for attempt in range(3):
            drawing = style or STYLES[self.rng.randrange(len(STYLES))]
            if attempt == 2:
                drawing = chained
            values = self.drawn(drawing)
            found = self.settled(values)
            if found is not None:
                return found
            if self.prober.table(values) is not None:
                self.lost.append(values)
        return self.bisected(values)

    def look_back(self) -> None:
        """Find the keys that brought other tensors where a point was left out for that."""
        for values in [v for v in self.lost if self.kept(v)][:MAX_LOST]:
            self.bisected(values)

    def drawn(self, drawing: Drawing) -> Values:
        """A proposal, brought to what is known to be needed."""
        keys = self.movable()
        values = {**self.base, **tamed(drawing(self.rng, keys), keys, self.prober.slow > 0)}
        return repaired(values, self.needed, self.fixed())

    def fixed(self) -> frozenset[Path]:
        """Keys that no repair may change."""
        return frozenset(self.base) - frozenset(self.movable_all())

    def movable_all(self) -> list[Path]:
        """The keys that sizes can be drawn for, even if they were refused before."""
        return [p for p in self.numbers() if self.kinds.get(p, "size") in ("size", "inert")]

    def settled(self, values: Values) -> tuple[Values, Table] | None:
        """A proposal, or one near it where comparisons go as at the base; None if neither."""
        table = self.same(values)
        if table is not None:
            return values, table
        why = "refused" if self.prober.table(values) is None else "other tensors"
        moved = {p for p in values if values[p] != self.base[p]}
        structure = set(self.of_kind("structure"))
        suspects = [r for r in broken(self.recorded.compared, values)
                    if r not in self.needed and r.keys & moved and not r.keys & structure]
        if not suspects:
            return None
        mended = repaired(values, [*self.needed, *suspects], self.fixed())
        table = self.same(mended)
        if table is None:
            return None
        self._learn(values, suspects, why)
        return mended, table

    def _learn(self, values: Values, suspects: Sequence[Comparison], why: str) -> None:
        """Keep of the comparisons that were repaired those without which the point fails.

        Halves are left out first, then single ones; where many remain, no rule was found.
        """
        kept, budget = list(suspects), MAX_SUSPECTS
        step = max(1, len(kept) // 2)
        while step and budget and len(kept) > 1:
            for at in range(0, len(kept), step):
                rest = kept[:at] + kept[at + step:]
                budget -= 1
                if rest and self.same(repaired(values, [*self.needed, *rest], self.fixed())
                                      ) is not None:
                    kept = rest
                    break
                if not budget:
                    break
            else:
                step //= 2
        if len(kept) <= MAX_KEPT:
            for relation in kept:
                self._keep(relation, kept, values, why)

    def _keep(self, relation: Comparison, kept: Sequence[Comparison], values: Values,
              why: str) -> None:
        """Keep one of some comparisons, with what comes where it alone is answered otherwise."""
        others = [*self.needed, *(each for each in kept if each is not relation)]
        alone = repaired(values, others, self.fixed())
        if outcome(relation, alone) is relation.outcome or broken(others, alone):
            self.needed[relation] = why
            return
        table = self.prober.table(alone)
        if table is None and not self.accepted_otherwise(relation, others):
            self.needed[relation] = "refused"
            self.said[relation] = self.prober.problem_at(alone)
        elif table is not None and signature(table) != self.signature:
            self.needed[relation] = "other tensors"

    def accepted_otherwise(self, relation: Comparison, others: Sequence[Comparison]) -> bool:
        """Whether the target takes other points at which a comparison is answered otherwise.

        Then one was refused for something else.
        """
        keys, tries = sorted(relation.keys - self.fixed(), key=str), ELSEWHERE
        near = [{p: factor * self.base[p] // 2} for p in keys for factor in (4, 1, 8)]
        for place in range(len(near) + GUESSES):
            values = repaired({**self.base, **(near[place] if place < len(near) else {
                p: self.rng.randint(1, 2 * self.base[p]) for p in keys})}, others, self.fixed())
            if outcome(relation, values) is not relation.outcome and not broken(others, values):
                if self.same(values) is not None:
                    return True
                tries -= place >= len(near)
            if not tries:
                break
        return False

    def bisected(self, values: Values) -> tuple[Values, Table]:
        """The base with as many of a proposal's keys as it takes."""
        moved = [path for path in values if values[path] != self.base[path]]
        self.rng.shuffle(moved)
        at: tuple[Values, Table] = (dict(self.base), self.first)
        waiting = [moved]
        while waiting:
            keys = waiting.pop()
            if not keys:
                continue
            tried = {**at[0], **{key: values[key] for key in keys}}
            table = self.same(tried)
            if table is not None:
                at = tried, table
            elif len(keys) == 1:
                self.refused[keys[0]] += 1
                self.note(keys[0], tried)
                at = self._beside(keys[0], at)
            else:
                half = len(keys) // 2
                waiting += [keys[half:], keys[:half]]
        return at

    def note(self, path: Path, values: Values) -> None:
        """Keep a point at which a key alone brought other tensors."""
        if self.prober.table(values) is not None:
            self.strange.setdefault(path, []).append(values)

    def unexplained(self, path: Path) -> list[Any]:
        """Numbers of a key with which there were other tensors, by nothing that is needed."""
        return [values[path] for values in self.strange.get(path, ()) if self.kept(values)]

    def _beside(self, path: Path, at: tuple[Values, Table]) -> tuple[Values, Table]:
        """A key that cannot be moved alone, scaled: alone, or with another of its base value."""
        if self.refused[path] > 3:
            return at
        partners = [p for p, v in self.numbers().items()
                    if p != path and v == self.base[path] and v > 4
                    and self.kinds.get(p, "size") == "size"]
        for factor in (2, 3):
            for partner in [None, *partners[:3]]:
                tried = {**at[0], path: at[0][path] * factor}
                if partner is not None:
                    tried[partner] = at[0][partner] * factor
                table = self.same(tried)
                if table is not None:
                    return tried, table
        return at

    def record(self, values: Values) -> list[Comparison]:
        """Write down what is compared at a further point, with the answer that the base gives.

        Returns: what was not compared before; it comes after a comparison that is answered
        otherwise at the base. What a loop over more layers asks of their numbers is not new.
        """
        most = max((int(values[p]) for p in self.of_kind("structure")), default=0)
        known = {_form(each, most) for each in self.recorded.compared}
        new: list[Comparison] = []
        recorded = self.prober.recorded(values)
        self.recorded.decided.update(recorded.decided)
        for each in recorded.compared:
            here = outcome(each, self.base)
            if here is None or outcome(each, values) is not each.outcome:
                continue
            if _form(each, most) not in known:
                new.append(replace(each, outcome=here))
        self.recorded.compared.update(dict.fromkeys(new))
        return new

    def kept(self, values: Values) -> bool:
        """Whether all relations that are needed hold at a point."""
        return not broken(self.needed, values)

    # -- structure ----------------------------------------------------------------------------

    def restructured(self, sizes: Mapping[Path, Any]) -> Values:
        """A point with keys of structure drawn anew, not yet tried."""
        values = {**sizes, **{p: structural(self.rng, self.base[p])
                              for p in self.of_kind("structure")}}
        return self.kept_near(values)

    def kept_near(self, values: Values) -> Values:
        """A point near another at which layers are counted so that what is needed holds."""
        fixed = frozenset(self.base) - frozenset(self.of_kind("structure"))
        return repaired(values, self.needed, fixed)


def _form(relation: Comparison, most: int) -> tuple[object, ...]:
    """A comparison without the numbers that may be those of layers."""
    def plain(term: Term) -> Term:
        if term[0] == "n":
            return number("?") if type(term[1]) is int and term[1] <= most else term  # type: ignore[arg-type]
        return term if term[0] == "k" else (term[0], *map(plain, term[1:]))
    return relation.operation, plain(relation.left), plain(relation.right)
