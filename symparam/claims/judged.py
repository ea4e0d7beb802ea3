"""One claim about one model, and many that stand together in a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from fractions import Fraction

from symparam.claims.along import Found
from symparam.claims.changes import NAMED, Mend, all_copies, measure_of, mends, renamed
from symparam.claims.claim import Claim
from symparam.claims.consistency import Finding, findings
from symparam.claims.context import contexts
from symparam.claims.names import Names
from symparam.claims.printed import read_printed, reprinted
from symparam.claims.reconcile import Reconciliation, reconcile
from symparam.claims.split import Counted, split
from symparam.claims.verdict import FALSE, LOOSE, NOMINAL, Name, judge
from symparam.dataclass import dataclass
from symparam.errors import MissingDims, SymparamError
from symparam.expression import Rational, Sym, symbols_in
from symparam.model import Model
from symparam.quantities.counts import COUNTS
from symparam.traced.foundation import sentences_of

#: Of how many rows that are not true the changes that would mend them are looked for.
EXPLAINED = 60


@dataclass(frozen=True)
class JudgedRow:
    """A claim with its verdict.

    Attributes:
        name: what the row is called.
        line: where it stands in its file; 0 where it stands in none.
        claim: what is said.
        computed: what it is; None where the numbers are those of no model, or one is missing.
        verdict: what the one is to the other.
        difference: what is said less what is.
        dims: the numbers that it was worked out with.
        mends: single changes that make it true, the likeliest first.
        findings: what is to be said of the numbers themselves.
        residual: what the difference is made of, where it was worked out.
        explained: whether mends were looked for.
        copies: of how many parts or matrices alike the claim is about one; 1 of all else.
        reads: how the number that is counted would be printed, where what is said is near it.
        taken: the network that it was counted with where nothing says which one it has.
    """

    name: str
    line: int
    claim: Claim
    computed: Rational | None
    verdict: Name
    difference: Rational | None
    dims: dict[str, int] = field(default_factory=dict)
    mends: tuple[Mend, ...] = ()
    findings: tuple[Finding, ...] = ()
    residual: Reconciliation | None = None
    explained: bool = False
    copies: int = 1
    reads: str = ""
    taken: str = ""

    @property
    def false(self) -> bool:
        """Whether what is said is not true."""
        return self.verdict in FALSE

    @property
    def relative(self) -> Fraction | None:
        """The difference as a share of what is."""
        if not self.computed or self.difference is None:
            return None
        return Fraction(self.difference) / Fraction(self.computed)


def review_claim(model: Model, claim: Claim, name: str = "", line: int = 0,
                 explain: bool = True) -> JudgedRow:
    """A verdict on a claim about a model, and the changes that would make it true.

    Args:
        model: the model, with the numbers that the claim is about.
        claim: what is said of it.
        name: what to call it; the model's name when empty.
        line: where it stands in a file.
        explain: whether to look for what would make it true where it is not.

    >>> from symparam.claims.claim import read_claim
    >>> from symparam.descriptions.load import load
    >>> row = review_claim(load("llama-2-7b"), read_claim("P=6.61B"))
    >>> row.verdict, row.mends[0].what
    ('convention', 'the token embedding not counted')
    """
    row = judged(model, claim, name or model.name, line)
    return explained(model, row) if explain and row.false else row


def judged(model: Model, claim: Claim, name: str, line: int) -> JudgedRow:
    """The verdict on a claim alone, before anything is explained.

    Raises:
        MissingDims: a number that the claim needs is nowhere given.
    """
    names = Names(model)
    try:
        computed = names.value(claim.left)
    except MissingDims:
        raise
    except SymparamError:
        said = findings(model)
        if not any(finding.level == "error" for finding in said):
            raise
        return JudgedRow(name, line, claim, None, "impossible", None, dict(model.values),
                         findings=said)
    verdict = judge(computed, claim.printed, claim.relation)
    own = claim.left
    part = isinstance(own, Sym) and own.name not in COUNTS
    row = JudgedRow(name, line, claim, computed, verdict.name, verdict.difference, names.dims,
              findings=findings(model, names.dims),
              copies=names.copies(str(own)) if part else 1,
              reads=_reads(computed, claim, verdict.name))
    if verdict.name == "nominal" and (others := renamed(model, claim)):
        return replace(row, verdict="convention", mends=others)
    return row


def _reads(computed: Rational, claim: Claim, verdict: Name) -> str:
    """How what is counted would be printed, where that is near to what is."""
    gap = abs(Fraction(claim.printed.value) - Fraction(computed))
    if claim.relation != "=" or verdict not in {"nominal", "wrong"} or (
            gap > NOMINAL * abs(Fraction(computed))):
        return ""
    text = reprinted(claim.printed, computed)
    true = text is not None and judge(computed, read_printed(text)).name in {"exact", "rounds"}
    return text if text is not None and true else ""


def explained(model: Model, row: JudgedRow) -> JudgedRow:
    """A row that is not true, with what would make it so."""
    found = mends(model, row.claim, row.name)
    if row.copies > 1 and isinstance(row.computed, int):
        found = (*all_copies(row.claim, row.computed, row.copies), *found)
    loose = any(mend.kind == "convention" for mend in found)
    verdict: Name = "convention" if row.verdict == "wrong" and loose else row.verdict
    looked = bool(found) or measure_of(row.claim) is not None
    return replace(row, verdict=verdict, mends=found, explained=looked,
                   residual=_residual(model, row))


def _residual(model: Model, row: JudgedRow) -> Reconciliation | None:
    """What the difference is made of, where both numbers are exact."""
    printed = row.claim.printed
    exact = row.claim.relation == "=" and printed.full and isinstance(row.difference, int)
    if not exact or abs(int(row.difference or 0)) < 1 or row.computed is None:
        return None
    return reconcile(model, int(row.difference or 0), either=not symbols_in(row.claim.left))


@dataclass(frozen=True)
class Shared:
    """A change looked at over all rows of a table that are not true.

    Attributes:
        what: the change, in words or as a dim.
        kind: convention, option or dim.
        rows: names of the rows that it mends.
        of: of how many that are not true.
        low, high: for a dim, the numbers that mend all of these rows; None where there is none.
    """

    what: str
    kind: str
    rows: tuple[str, ...]
    of: int
    low: int | None = None
    high: int | None = None

    @property
    def mends_all(self) -> bool:
        """Whether one and the same change makes every row true."""
        return len(self.rows) == self.of


@dataclass(frozen=True)
class Review:
    """Claims that stand together.

    Attributes:
        title: the file, or the model.
        file: the path of the table; empty where there is none.
        rows: a verdict each.
        shared: changes over several rows: what one change would mend.
        assumed: what the rows do not say and was taken from elsewhere.
        unread: titles of the columns of the table that are not understood.
        split: where no one way of counting makes all rows true that some way makes so, the ways
            that are needed, each with its rows; a way is empty that leaves all as it is said.
    """

    title: str
    file: str
    rows: tuple[JudgedRow, ...]
    shared: tuple[Shared, ...] = ()
    assumed: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    split: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def passed(self, strict: bool = False) -> bool:
        """Whether nothing in it is false; strictly, whether all is as it is said to be counted."""
        wrong = LOOSE if strict else FALSE
        return not any(row.verdict in wrong for row in self.rows)

    @property
    def doubtful(self) -> bool:
        """Whether a column that was not read may be why a row is not plainly true."""
        return bool(self.unread) and any(row.verdict in LOOSE for row in self.rows)

    def alone(self, mend: Mend) -> bool:
        """Whether a change, no published model, was found for one row and mends no other."""
        what = mend.dim or mend.option
        return mend.likely != NAMED and any(
            each.what == what and len(each.rows) == 1 for each in self.shared)


def review_rows(title: str, file: str, rows: Sequence[tuple[Model, JudgedRow]],
                assumed: Iterable[str] = (), most: int = EXPLAINED) -> Review:
    """Verdicts on the rows of a table, the changes that mend them, and what mends them together.

    Args:
        title, file: what the rows are of.
        rows: each row as it was judged, with its model.
        assumed: what was taken from elsewhere.
        most: of how many rows that are not true the changes are looked for.
    """
    found: list[JudgedRow] = []
    models: dict[int, Model] = {}
    for model, row in rows:
        if row.false and len(models) < most:
            models[len(found)] = model
            row = explained(model, row)
        found.append(row)
    run = contexts((model, row.claim.left) for model, row in rows)
    rests = sentences_of({model.name: model.trace for model, _ in rows})
    return Review(title, file, tuple(found), tuple(_shared(found)), (*assumed, *run, *rests),
                  split=split([Counted(model, row.claim, row.name, row.verdict, row.mends)
                               for (model, _), row in zip(rows, found, strict=True)]))


def _shared(rows: Sequence[JudgedRow]) -> list[Shared]:
    """What one change would mend, over the rows that are not true as they stand."""
    loose = [row for row in rows if row.explained]
    if len(loose) < 2:
        return []
    found = [*_same_option(loose), *_same_dim(loose)]
    return sorted(found, key=lambda each: -len(each.rows))


def _same_option(rows: Sequence[JudgedRow]) -> list[Shared]:
    names: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        for mend in row.mends:
            if mend.kind != "dim":
                names.setdefault((mend.option, mend.kind), []).append(row.name)
    return [Shared(option, kind, tuple(held), len(rows))
            for (option, kind), held in names.items()]


def _same_dim(rows: Sequence[JudgedRow]) -> list[Shared]:
    """Dims that all rows have alike: whether one number of it mends them all."""
    common = {name: value for name, value in rows[0].dims.items()
              if all(row.dims.get(name) == value for row in rows)}
    found = []
    for name in common:
        held = [(row.name, mend.found) for row in rows for mend in row.mends
                if mend.dim == name and mend.found is not None]
        if not held:
            continue
        low = max(each.low for _, each in held)
        high = min(each.high for _, each in held)
        points = sorted({x for _, each in held for x in each.scattered} | {low})
        all_of = [x for x in points if all(each.has(x) for _, each in held)]
        one = bool(all_of)
        if one and any(each.scattered for _, each in held):
            low, high = all_of[0], all_of[-1]
        most = _most(held)
        found.append(Shared(name, "dim", tuple(n for n, _ in held) if one else most, len(rows),
                            low if one else None, high if one else None))
    return found


def _most(held: Sequence[tuple[str, Found]]) -> tuple[str, ...]:
    """The largest set of rows that one number mends."""
    best: tuple[str, ...] = ()
    for point in sorted({x for _, each in held for x in (each.low, *each.scattered)}):
        names = tuple(name for name, each in held if each.has(point))
        best = names if len(names) > len(best) else best
    return best


