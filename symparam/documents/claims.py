"""Verdicts on claims as a document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from symparam.claims.changes import CONVENTIONS
from symparam.claims.judged import JudgedRow, Review
from symparam.claims.verdict import MEANINGS, Name
from symparam.documents.claims_mends import (
    LETTERS,
    NAMED,
    alike,
    explanation,
    name_of,
    number,
    shared_spans,
    signed,
    worth,
)
from symparam.documents.common.view import View
from symparam.errors import short as brief
from symparam.notation.notation import Notation
from symparam.notation.notation_file import notation_of
from symparam.notation.numbers import grouped, several
from symparam.writers.document import (
    Block,
    Cell,
    Code,
    Column,
    Document,
    Heading,
    Items,
    Math,
    Paragraph,
    Span,
    Strong,
    Table,
    spans,
)

#: How many rows are shown one by one.
ROWS = 200


class ReviewView(View):
    """Reviews that can be written in every format; in a notebook they show themselves.

    Attributes:
        reviews: one a table, or one for the claims of a model.
    """

    def __init__(self, reviews: Iterable[Review], notation: str | Notation = "paper") -> None:
        self.reviews, self.notation = tuple(reviews), notation_of(notation)

    @property
    def rows(self) -> tuple[JudgedRow, ...]:
        """The verdicts of all reviews."""
        return tuple(row for review in self.reviews for row in review.rows)

    def passed(self, strict: bool = False) -> bool:
        """Whether nothing is false; strictly, whether nothing is nominal or under a convention."""
        return all(review.passed(strict) for review in self.reviews)

    def document(self) -> Document:
        """The verdicts as a document."""
        return review_document(self.reviews)

    def json(self) -> dict[str, object]:
        """The verdicts as data."""
        from symparam.documents.claims_data import review_json

        return review_json(self.reviews)

    def __repr__(self) -> str:
        return f"<review: {', '.join(_headline(review) for review in self.reviews)}>"


def review_document(reviews: Iterable[Review]) -> Document:
    """The verdicts, what would make the false ones true, and what they rest on."""
    listed = list(reviews)
    if len(listed) == 1:
        return Document(_headline(listed[0]), tuple(_blocks(listed[0])))
    blocks: list[Block] = []
    for review in listed:
        blocks += [Heading(spans(_headline(review))), *_blocks(review, 3)]
    return Document(f"{several(len(listed), 'table')} checked", tuple(blocks))


def _headline(review: Review) -> str:
    counts: dict[Name, int] = {}
    for row in review.rows:
        counts[row.verdict] = counts.get(row.verdict, 0) + 1
    said = ", ".join(f"{grouped(n)} {_WORD.get(name, name)}" for name, n in sorted(
        counts.items(), key=lambda item: _ORDER.index(item[0])))
    claims = f"{review.title}: {several(len(review.rows), 'claim')}"
    return f"{claims}, {said}" if said else claims


_ORDER: tuple[Name, ...] = ("impossible", "wrong", "incomplete", "convention", "nominal",
                            "truncates", "rounds", "exact", "holds")
_WORD: dict[Name, str] = {"convention": "under a convention"}


def _blocks(review: Review, level: int = 2) -> Iterator[Block]:
    if review.doubtful:
        yield Paragraph(spans(Strong("Not read"), f": {_titles(review.unread)}. If one says "
                              "something of the architecture, the verdicts below may be for want "
                              "of it: ", Code("--map 'COLUMN=NAME'"), " says what it is."))
    if review.split:
        yield Paragraph(spans(Strong("Counted in different ways"), ": no one way makes all of "
                              "these rows true."))
        yield Items(tuple(_way(way, rows) for way, rows in review.split))
    if review.rows:
        yield _verdicts(review)
    if len(review.rows) > ROWS:
        yield Paragraph(spans(f"The first {grouped(len(_shown(review)))} rows that are not plainly "
                              f"true, or simply the first; JSON has all "
                              f"{grouped(len(review.rows))}."))
    if review.rows:
        yield Items(tuple(spans(Strong(name), f": {MEANINGS[name]}") for name in _ORDER
                          if any(row.verdict == name for row in review.rows)))
    if unsaid := _unsaid(review):
        yield Paragraph(unsaid)
    loose = [row for row in review.rows if row.explained or row.mends or row.residual is not None
             or row.reads or row.verdict == "impossible"]
    if loose or review.skipped:
        yield Heading(spans("What would make them true"), level)
        for rows in alike(loose)[:ROWS]:
            yield from explanation(review, rows)
    if review.skipped:
        yield Paragraph(_skipped(review.skipped))
    if shared := [each for each in review.shared if worth(each)]:
        yield Heading(spans("One change for several"), level)
        looked = "that were looked into" if review.skipped else "that are not true"
        yield Items(tuple(shared_spans(each, f"all {each.of} rows {looked}") for each in shared))
    notes = [(name_of(row), f.what) for row in review.rows for f in row.findings
             if f.level == "note"]
    if notes:
        yield Heading(spans("How the numbers go together"), level)
        yield Items(tuple(spans(f"{name}: {what}") for name, what in dict.fromkeys(notes)))
    assumed = review.assumed
    if review.unread and not review.doubtful:
        assumed = (*assumed, f"columns not read: {_titles(review.unread)}")
    if assumed:
        yield Heading(spans("What this rests on"), level)
        yield Items(tuple(spans(words) for words in assumed))


def _skipped(count: int) -> tuple[Span, ...]:
    """That some rows were not looked into."""
    rows = several(count, "row")
    return spans(Strong("Not looked into"), f": {rows} not true, but for other ways "
                 "to count. ", Code("--explain N"), " looks into N different rows.")


def _unsaid(review: Review) -> tuple[Span, ...]:
    """That nothing says which network rows have, beside the verdicts that rest on it."""
    taken: dict[str, list[str]] = {}
    for row in review.rows:
        if row.taken and not row.false:
            taken.setdefault(row.taken, []).append(name_of(row))
    found: list[Span] = []
    for words, names in taken.items():
        rows = ", ".join(dict.fromkeys(names)) if len(names) <= NAMED else (
            f"{len(names)} rows that are not false")
        found += [" " if found else "", Strong(rows), f": counted {words}."]
    return tuple(found)


def _titles(titles: Iterable[str]) -> str:
    return ", ".join(brief(title, LETTERS) for title in titles)


def _way(way: str, rows: tuple[str, ...]) -> tuple[Span, ...]:
    """A way of counting, and the rows that are true under it."""
    names = ", ".join(brief(name, LETTERS) for name in rows)
    if not way:
        return spans(f"as it is said: {names}")
    words = f", {CONVENTIONS[way]}" if way in CONVENTIONS else ""
    return spans(Code(way), f"{words}: {names}")


def _shown(review: Review) -> list[JudgedRow]:
    if len(review.rows) <= ROWS:
        return list(review.rows)
    plain = ("exact", "rounds", "truncates", "holds")
    return [row for row in review.rows if row.verdict not in plain][:ROWS] or list(
        review.rows[:ROWS])


def _verdicts(review: Review) -> Table:
    rows: list[tuple[Cell, ...]] = []
    several_claims = any(not row.claim.of_total for row in review.rows)
    for row in _shown(review):
        computed = "–" if row.computed is None else number(row.computed)
        gap = "–" if row.difference is None else signed(row.difference)
        about: tuple[Cell, ...] = (_of(row),) if several_claims else ()
        relation = "" if row.claim.relation == "=" else f"{_RELATIONS[row.claim.relation]} "
        rows.append((name_of(row), *about, relation + brief(row.claim.printed.text, 24), computed,
                     gap, Strong(row.verdict) if row.false else row.verdict))
    about_column = (Column("of"),) if several_claims else ()
    return Table((Column("row"), *about_column, Column("said", "right"),
                  Column("counted", "right"), Column("said less counted", "right"),
                  Column("verdict")), tuple(rows))


def _of(row: JudgedRow) -> Cell:
    """What is claimed; of a part that there is in every layer, one."""
    left = Math(row.claim.left)
    if row.copies == 1:
        return left
    own = str(row.claim.left).startswith("P_")
    return (left, ", one layer's" if own else f", one of {grouped(row.copies)}")


_RELATIONS = {"<=": "≤", ">=": "≥", "<": "<", ">": ">"}
