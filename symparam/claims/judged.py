"""One claim about one model, and many that stand together in a table."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import field, replace
from fractions import Fraction

from symparam.claims.changes import (
    NAMED,
    Mend,
    all_copies,
    measure_of,
    mends,
    renamed,
    ways_to_count,
)
from symparam.claims.claim import Claim
from symparam.claims.consistency import Finding, findings
from symparam.claims.context import contexts
from symparam.claims.likely import called_after
from symparam.claims.names import Names
from symparam.claims.printed import read_printed, reprinted
from symparam.claims.reconcile import Reconciliation, reconcile
from symparam.claims.shared import Shared, shared
from symparam.claims.split import Counted, split
from symparam.claims.verdict import FALSE, LOOSE, NOMINAL, Name, judge
from symparam.dataclass import dataclass
from symparam.errors import MissingDims, SymparamError
from symparam.expression import Rational, Sym, symbols_in
from symparam.model import Model
from symparam.quantities.counts import COUNTS
from symparam.traced.foundation import sentences_of

#: Of how many different rows that are not true all changes that would mend them are looked for.
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


def explained(model: Model, row: JudgedRow, further: bool = True) -> JudgedRow:
    """A row that is not true, with what would make it so.

    Args:
        model, row: the row and its model.
        further: whether to look for other changes than ways to count, on which the verdict rests.
    """
    if not further and row.verdict != "wrong":
        return row
    found = mends(model, row.claim, row.name) if further else ways_to_count(model, row.claim)
    if row.copies > 1 and isinstance(row.computed, int):
        found = (*all_copies(row.claim, row.computed, row.copies), *found)
    loose = any(mend.kind == "convention" for mend in found)
    verdict: Name = "convention" if row.verdict == "wrong" and loose else row.verdict
    if not further:
        return replace(row, verdict=verdict, mends=found)
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
        skipped: of how many rows that are not true nothing but ways to count was looked for.
    """

    title: str
    file: str
    rows: tuple[JudgedRow, ...]
    shared: tuple[Shared, ...] = ()
    assumed: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    split: tuple[tuple[str, tuple[str, ...]], ...] = ()
    skipped: int = 0

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
        return not self.skipped and mend.likely != NAMED and any(
            each.what == what and len(each.rows) == 1 for each in self.shared)


@dataclass
class _Looked:
    """Looks into the rows of a table, into equal ones once.

    Attributes:
        most: into how many different ones for more than ways to count.
        skipped: how many rows are beyond that.
        found: the first of each, as it was explained, with its model, whose stacks tell it apart
            by their identity and stay for that.
    """

    most: int
    skipped: int = 0
    found: dict[Hashable, tuple[Model, JudgedRow]] = field(default_factory=dict)

    def into(self, model: Model, row: JudgedRow) -> JudgedRow:
        """The row with what would make it true."""
        key = _alike(model, row)
        if key not in self.found:
            self.found[key] = model, explained(model, row, len(self.found) < self.most)
        _, first = self.found[key]
        self.skipped += not first.explained and measure_of(row.claim) is not None
        return replace(row, verdict=first.verdict, mends=first.mends, explained=first.explained,
                       residual=first.residual)


def _alike(model: Model, row: JudgedRow) -> Hashable:
    """What two rows have in common of which the same is to be said."""
    return (id(model.stacks), model.name, row.name == model.name, called_after(row.name),
            tuple(sorted(model.values.items())), tuple(sorted(row.dims.items())), str(row.claim))


def review_rows(title: str, file: str, rows: Sequence[tuple[Model, JudgedRow]],
                assumed: Iterable[str] = (), most: int = EXPLAINED) -> Review:
    """Verdicts on the rows of a table, the changes that mend them, and what mends them together.

    Args:
        title, file: what the rows are of.
        rows: each row as it was judged, with its model.
        assumed: what was taken from elsewhere.
        most: of how many different rows that are not true all changes are looked for, not ways to
            count alone.
    """
    looked = _Looked(most)
    found = [looked.into(model, row) if row.false else row for model, row in rows]
    run = contexts((model, row.claim.left) for model, row in rows)
    rests = sentences_of({model.name: model.trace for model, _ in rows})
    return Review(title, file, tuple(found), tuple(shared(found)), (*assumed, *run, *rests),
                  skipped=looked.skipped,
                  split=split([Counted(model, row.claim, row.name, row.verdict, row.mends)
                               for (model, _), row in zip(rows, found, strict=True)]))
