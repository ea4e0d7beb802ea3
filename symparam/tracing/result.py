"""A search's result as a trace: keys, rows, equations, checks, and what it all rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symparam import expression as ex
from symparam.constraints import AtMost, Check, Compares, Differs, Divides, Equation
from symparam.errors import short
from symparam.traced.foundation import sealed
from symparam.traced.names import dim_of
from symparam.traced.records import Assumption, Evidence, Key, KeyKind, Trace, TracedRow
from symparam.tracing import audit, stated
from symparam.tracing.recording.records import Comparison
from symparam.tracing.recording.terms import Path, Term, keys_in, text
from symparam.tracing.rules.copies import Copies
from symparam.tracing.rules.expressions import expression, times
from symparam.tracing.searching.derived import derived
from symparam.tracing.searching.domain import UNBUILT
from symparam.tracing.searching.draws import chained, multiples, ragged
from symparam.tracing.searching.engine import Finder
from symparam.tracing.searching.probing import TraceError
from symparam.tracing.searching.relations import divides
from symparam.tracing.searching.rows import UNKNOWN, FoundRow, units_of
from symparam.tracing.searching.tables import parameters, pattern_of, signature
from symparam.tracing.written import Writing, dim_names, versions, write_rows

#: Terms that dims are compared with, at most.
MAX_COMPARED = 2000


def _has_copies(finder: Finder) -> bool:
    """Whether other numbers give other tensors: rows of one build are then none of another."""
    return "structure" in finder.domain.kinds.values() or (
        signature(finder.domain.first) != signature(finder.full))


def _missed(finder: Finder) -> str:
    return "anything was found" if finder.reached == 0 else (
        "it was found which tensors come with other numbers of layers and the like")


def first_build(finder: Finder) -> str:
    """What is known of a target whatever else is not: its count at its own numbers."""
    return (f"built at its own numbers it has {parameters(finder.full):,} parameters in "
            f"{len(finder.full):,} tensors, and no more is known")


class Result:
    """Puts a trace together from what a search knows."""

    def __init__(self, finder: Finder, seed: int, stopped: str) -> None:
        self.target = target = finder.prober.target
        if finder.reached == 0 or (finder.reached == 1 and _has_copies(finder)):
            raise TraceError(target.text, f"{stopped or 'stopped'} before {_missed(finder)}; "
                             f"{first_build(finder)}")
        self.finder, self.seed, self.stopped = finder, seed, stopped
        self.domain, self.sizes = finder.domain, finder.sizes
        self.points = [v for v, _ in self.sizes.points]
        self.names = dim_names(self.target.base)
        self.moved = {p for p in self.target.base if len({v[p] for v in self.seen_values()}) > 1}
        self.assumptions: list[Assumption] = []

    def seen_values(self) -> list[Mapping[Path, Any]]:
        """Every point at which something was built and read."""
        seen = self.finder.structure.seen if self.finder.reached == 2 else []
        return [self.finder.given, *self.points, *(values for values, _ in seen),
                *self.finder.witnesses]

    def all_values(self) -> list[Mapping[Path, Any]]:
        """The same, with points at which a comparison was turned and nothing changed."""
        return [*self.seen_values(), *self.domain.turned]

    def trace(self) -> Trace:
        """The whole record.

        Raises:
            TraceError: a tensor that is built where the trace begins has no row.
        """
        found = self.found_rows()
        divided = [d for r in self.domain.needed if (d := divides(r)) is not None]
        kinds = {path: self.kind(path) for path in self.target.base}
        constant = {p: self.target.base[p] for p, k in kinds.items() if k in (
            "held", "refused") or not isinstance(self.target.base[p], int)}
        writing = Writing(self.names, constant, divided, self.seen_values())
        rows, left = write_rows(found, writing, self.domain.first, self.domain.base)
        if unsaid := audit.unsaid(rows, self.domain.first):
            raise TraceError(self.target.text, f"has {len(unsaid):,} tensors of which no rule was "
                             f"found, as {unsaid[0]}: no number of it would be true")
        equations, checks = self.relations(writing, found)
        self.audit(rows, found, left, kinds, equations, checks)
        return sealed(Trace(
            self.target.name, self.target.text, self.keys(kinds), equations, checks, tuple(rows),
            tuple(dict.fromkeys(self.assumptions)), self.evidence()))

    def found_rows(self) -> list[FoundRow]:
        """The rows; where structure was not reached, one for each tensor."""
        if self.finder.reached == 2:
            return self.finder.structure.rows
        return [FoundRow(unit, Copies(name))
                for name, unit in units_of(self.domain.first, self.sizes.terms).items()]

    # -- keys ---------------------------------------------------------------------------------

    def kind(self, path: Path) -> KeyKind:
        """What moving a key did, at the end of the search."""
        kind = self.domain.kinds.get(path, "held")
        if kind in ("size", "structure") and path not in self.moved:
            return "refused"
        if kind in ("size", "inert") and self.domain.unexplained(path) and not self.bounds(path):
            return "held"
        return kind

    def bounds(self, path: Path) -> list[Check]:
        """What a check states of a key alone: the side of a number, or the only number."""
        dim, base = ex.Sym(self.names[path]), self.target.base[path]
        if type(base) is not int:
            return []
        if path in self.finder.lengths:
            return [Compares(dim, "=", ex.Num(base), stated.LENGTH)]
        found = stated.bounds(self.domain, path, dim, [v[path] for v in self.all_values()])
        if not found and path not in self.moved and self.domain.kinds.get(path) in (
                "size", "structure"):
            found = stated.alone(self.domain, path, dim, base)
        return found

    def keys(self, kinds: Mapping[Path, KeyKind]) -> tuple[Key, ...]:
        """Every key of the target, switches last."""
        made = [Key(self.names[p], p, v, kinds[p], dim_of(p).meaning)
                for p, v in self.target.base.items()]
        taken = set(self.names.values())
        for path, value in self.target.switches.items():
            name = dim_of(path, taken).name
            taken.add(name)
            shown = value if isinstance(value, (int, float, str, bool)) or value is None else (
                str(value))
            made.append(Key(name, path, shown, "switch"))
        return tuple(made)

    # -- relations ----------------------------------------------------------------------------

    def relations(self, writing: Writing, rows: Sequence[FoundRow]
                  ) -> tuple[tuple[Equation, ...], tuple[Check, ...]]:
        """Equations of keys that follow others, and what the target asserts."""
        equations, loose = derived(self.target, self.domain, self.sizes, writing)
        self.assumptions += [Assumption("stays", (name,), f"{name} stays the number that it is: "
                                        "where it is not given the target works it out of others, "
                                        "by no rule that was found") for name in loose]
        checks: list[Check] = []
        for relation, why in self.domain.needed.items():
            checks += self.relation(relation, why, writing)
        for path in self.target.base:
            checks += [self.case(check, "" if check.reason in stated.CASES else "refused",
                                 check.reason) for check in self.bounds(path)]
        checks += self.indistinct(rows, writing)
        for row in rows:
            checks += [AtMost(self.names[a], self.names[b], "copies follow a rule only then")
                       for a, b in row.copies.at_most]
        return tuple(dict.fromkeys(equations)), tuple(dict.fromkeys(checks))

    def relation(self, relation: Comparison, why: str, writing: Writing) -> list[Check]:
        """The check of a comparison that has to be answered as at the base; none where it cannot
        be written, which is then an assumption."""
        division = divides(relation)
        reason = self.reason(relation, why)
        sides = self.name_of(relation.left), self.name_of(relation.right)
        if division is not None:
            top, bottom = (self.name_of(each) for each in division)
            by = bottom or _whole(division[1])
            if top and by:
                return [self.case(Divides(by, top, reason), why, reason)]
        elif all(sides) and not relation.outcome:
            first, second = str(sides[0]), str(sides[1])
            check: Check = (AtMost(second, first, reason) if relation.operation == "<"
                            else Differs(first, second, reason))
            return [self.case(check, why, reason)]
        left, right = writing.stated(relation.left), writing.stated(relation.right)
        if division is not None:
            whole, part = map(writing.stated, division)
            share = writing.stated(("//", *division))
            if whole is not None and part is not None and share is not None:
                left, right = whole, times(part, share)
        dims = tuple(self.names[p] for p in sorted(relation.keys, key=str))
        if left is None or right is None or not set(ex.symbols_in(left) + ex.symbols_in(right)):
            self.assumptions.append(Assumption(
                "asserted" if why == "refused" else "existence", dims,
                f"{'holds' if relation.outcome else 'does not hold'}: {self.shown(relation)}; "
                f"{reason}"))
            return []
        if relation.operation == "==":
            check = Compares(left, "=" if relation.outcome else "!=", right, reason)
        elif relation.outcome:
            check = Compares(left, "<", right, reason)
        else:
            check = Compares(right, "<=", left, reason)
        return [self.case(check, why, reason)]

    def reason(self, relation: Comparison, why: str) -> str:
        """What comes where a comparison is answered otherwise."""
        if why == UNBUILT:
            return "nothing was built where it is otherwise"
        if why != "refused":
            return f"else there are {why}"
        said = self.domain.said.get(relation, "")
        return f"else the target says {short(said, 120)}" if said else "else the target refuses it"

    def case(self, check: Check, why: str, reason: str) -> Check:
        """A check of the case that was traced, which is an assumption too where the target takes
        other cases."""
        if why != "refused":
            self.assumptions.append(Assumption("existence", (), f"{check}; {reason}"))
        return check

    def name_of(self, term: Term) -> str | None:
        """The dim of a term that is a key."""
        return self.names[term[1]] if term[0] == "k" else None

    def shown(self, relation: Comparison) -> str:
        """A comparison for a person's eyes."""
        return f"{text(relation.left)} {relation.operation} {text(relation.right)}"

    # -- what it rests on ---------------------------------------------------------------------

    def audit(self, rows: Sequence[TracedRow], found: Sequence[FoundRow],
              left: Mapping[int, Sequence[int]], kinds: Mapping[Path, KeyKind],
              equations: Sequence[Equation], checks: Sequence[Check]) -> None:
        """Everything that the probes could not show."""
        say = self.assumptions
        free = {p for p in kinds if not self.bounds(p)}
        fixed = [p for p, k in kinds.items() if k == "refused" and p in free]
        say += audit.pinned(fixed, self.names, self.target.base)
        say += [Assumption("held", (self.names[p],), f"{self.names[p]} is held at "
                           f"{self.target.base[p]}: {self.why_held(p)}")
                for p, k in kinds.items() if k == "held" and p in free]
        moved = [p for p in self.target.base if kinds[p] in ("size", "structure")]
        said = {frozenset((e.dim, str(e.expr))) for e in equations}
        say += [a for a in audit.tied(self.seen_values(), moved, self.names)
                if frozenset(a.keys) not in said and not stated.tied(checks, a.keys)]
        follows = {place: self.follows(found[place], axes) for place, axes in left.items()}
        say += audit.numbers(rows, left, follows)
        say += audit.constants([r for i, r in enumerate(rows) if i not in left])
        say += audit.switches({p: v for p, v in self.target.switches.items()
                               if p not in self.finder.idle})
        layered = [p for p in moved if kinds[p] == "structure"]
        if moved:
            say.append(audit.built(self.all_values(), layered, [
                p for p in moved if kinds[p] == "size"], self.names))
        for pattern in self.finder.failing:
            say.append(Assumption("disagrees", (), f"{pattern}: a held-out point differs"))
        say += audit.decided(self.domain.recorded.decided, self.plain, self.names)
        for strange in self.target.strange:
            say.append(Assumption("disagrees", (), strange))
        for note in self.target.notes:
            say.append(Assumption("switch", (), note))
        if slow := self.finder.prober.slow:
            say.append(Assumption("range", (), f"left out since they took far longer to build than "
                                  f"the first: {slow} of the points"))
        if self.stopped:
            say.append(Assumption("unfinished", (), f"{self.stopped}: "
                       f"{self.finder.held_out} points were held out"))

    def indistinct(self, rows: Sequence[FoundRow], writing: Writing) -> list[Check]:
        """Terms that no point told apart from others that the code computes: they have to agree."""
        moved = frozenset(self.moved)
        chosen = [t for row in rows for t in row.unit.shape if t[0] not in ("n", UNKNOWN)]
        terms = [t for t in (*self.sizes.leaves(), *self.sizes.pool()[:MAX_COMPARED])
                 if keys_in(t) and keys_in(t) <= moved]
        drawn = [self.domain.drawn(style) for style in (ragged, multiples, chained, ragged) * 3]
        drawn = [values for values in drawn if self.domain.kept(values)]
        checks: list[Check] = []
        for pair in audit.alike(chosen, terms, self.seen_values(), drawn):
            keys = sorted(keys_in(pair[0]) | keys_in(pair[1]), key=str)
            said = " and ".join(map(self.plain, pair))
            first, second = map(writing.stated, pair)
            if first is not None and second is not None:
                checks.append(Compares(first, "=", second, stated.INDISTINCT))
                keys = []
            self.assumptions.append(Assumption("tied", tuple(self.names[p] for p in keys),
                                               f"{said} agreed at every point: one may stand for "
                                               "the other"))
        return checks

    def plain(self, term: Term) -> str:
        """A term over dims, for a person's eyes."""
        found = expression(term, lambda path: ex.Sym(self.names[path]))
        return text(term) if found is None else str(found)

    def why_held(self, path: Path) -> str:
        """Why a key is held."""
        if path in self.finder.culprits:
            return "the number of copies follows it by no rule that was found"
        if path in self.finder.held:
            return "as was asked for"
        if self.domain.unexplained(path):
            return "other tensors came with other numbers, by no comparison that was seen"
        if type(self.target.base[path]) is not int or self.target.base[path] < 1:
            return "tensors follow it, and only whole numbers above 0 are moved"
        return "another value gives other tensors"

    def follows(self, row: FoundRow, axes: Sequence[int]) -> list[str]:
        """The dims that axes of a row without a rule follow."""
        names = [n for n in self.domain.first if pattern_of(n) == row.unit.pattern]
        keys = [self.finder.follows.get((name, axis), frozenset())
                for name in names for axis in axes]
        keys += [keys_in(row.unit.shape[axis]) for axis in axes]  # what has no way to be written
        found = frozenset().union(*keys) or frozenset(self.moved)
        return [self.names[p] for p in sorted(found, key=str)]

    def evidence(self) -> Evidence:
        """What was built."""
        return Evidence(len(self.points), self.finder.held_out, self.finder.prober.builds,
                        self.seed, versions(self.target.packages), moved=tuple(
                            self.names[p] for p, base in self.target.base.items() if any(
                                v[p] != base for v in self.finder.witnesses)
                            and self.domain.kinds.get(p) in ("size", "structure")))


def _whole(divisor: Term) -> int | None:
    """A divisor that is a whole number, though the code may have worked it out as a float; None of
    any other."""
    value = divisor[1] if divisor[0] == "n" else None
    return None if value is None or value % 1 else int(value)
