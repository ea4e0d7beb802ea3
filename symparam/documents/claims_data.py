"""Verdicts on claims as data."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from symparam.claims.changes import Mend
from symparam.claims.judged import JudgedRow, Review
from symparam.claims.reconcile import Reconciliation
from symparam.claims.shared import Shared
from symparam.expression import Rational


def review_json(reviews: Iterable[Review]) -> dict[str, Any]:
    """The reviews as plain data; exact numbers are integers, others text such as ``8/3``."""
    listed = list(reviews)
    return {"passed": all(review.passed() for review in listed),
            "reviews": [_review(review) for review in listed]}


def _review(review: Review) -> dict[str, Any]:
    return {"title": review.title, "file": review.file or None, "passed": review.passed(),
            "rows": [_row(review, row) for row in review.rows],
            "shared": [_shared(review, each) for each in review.shared],
            "not_looked_into": review.skipped,
            "unread": list(review.unread),
            "split": [{"way": way or None, "rows": list(rows)} for way, rows in review.split],
            "assumed": list(review.assumed)}


def exact(value: Rational | None) -> int | str | None:
    """A number as JSON holds it exactly.

    >>> exact(Fraction(8, 3)), exact(5)
    ('8/3', 5)
    """
    return str(value) if isinstance(value, Fraction) else value


def _row(review: Review, row: JudgedRow) -> dict[str, Any]:
    printed, relative = row.claim.printed, row.relative
    return {
        "name": row.name, "line": row.line or None, "of": str(row.claim.left),
        "copies": row.copies,
        "relation": row.claim.relation,
        "said": {"text": printed.text, "value": exact(printed.value),
                 "resolution": exact(printed.resolution)},
        "computed": exact(row.computed), "difference": exact(row.difference),
        "relative": None if relative is None else float(relative), "verdict": row.verdict,
        "dims": dict(row.dims), "explained": row.explained,
        "changes": [_change(review, mend) for mend in row.mends],
        "should_read": row.reads or None, "taken": row.taken or None,
        "findings": [{"level": f.level, "what": f.what} for f in row.findings],
        "residual": _residual(row.residual)}


def _change(review: Review, mend: Mend) -> dict[str, Any]:
    found = mend.found
    return {
        "kind": mend.kind, "what": mend.what, "option": mend.option, "total": mend.total,
        "verdict": mend.verdict, "old": mend.old,
        "this_row_alone": None if review.skipped else review.alone(mend),
        "interval": None if found is None else {
            "low": found.low, "high": found.high, "nearest": found.nearest,
            "only": list(found.scattered)},
        "usual": [{"value": u.value, "why": u.why, "models_of_that_shape": u.shape}
                  for u in mend.usual]}


def _residual(residual: Reconciliation | None) -> dict[str, Any] | None:
    if residual is None:
        return None
    return {"numel": residual.residual, "closed": residual.closed,
            "terms": [{"name": t.name, "formula": str(t.formula), "numel": t.numel}
                      for t in residual.terms],
            "others": [list(names) for names in residual.others]}


def _shared(review: Review, each: Shared) -> dict[str, Any]:
    return {"what": each.what, "kind": each.kind, "rows": list(each.rows), "of": each.of,
            "mends_all": each.mends_all and not review.skipped, "low": each.low, "high": each.high}
