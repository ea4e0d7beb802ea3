"""Verdicts on claims as annotations that code hosts show beside a line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from symparam.claims.judged import JudgedRow, Review
from symparam.documents.claims_mends import mend_spans

_LEVELS = {"wrong": "error", "impossible": "error", "nominal": "notice", "convention": "warning",
           "incomplete": "warning"}


def github_lines(reviews: Iterable[Review]) -> str:
    """One line for each claim that is not plainly true, as GitHub reads them in a log.

    >>> github_lines([])
    ''
    """
    lines = []
    for review in reviews:
        for row in review.rows:
            level = _LEVELS.get(row.verdict)
            if level is not None:
                lines.append(f"::{level} {_place(review, row)}::{_escaped(_message(review, row))}")
    return "".join(f"{line}\n" for line in lines)


def _place(review: Review, row: JudgedRow) -> str:
    parts = []
    if review.file:
        parts.append(f"file={_property(review.file)}")
    if review.file and row.line:
        parts.append(f"line={row.line}")
    return ",".join([*parts, f"title={_property(f'{row.name}: {row.verdict}')}"])


def _message(review: Review, row: JudgedRow) -> str:
    if row.computed is None:
        level = "note" if row.verdict == "incomplete" else "error"
        return "; ".join(f.what for f in row.findings if f.level == level)
    said = (f"{row.claim.left} is said to be {row.claim.printed.text} and is "
            f"{row.computed:,}" if isinstance(row.computed, int) else
            f"{row.claim.left} is said to be {row.claim.printed.text} and is {row.computed}")
    if row.reads:
        return f"{said}; it should read {row.reads}"
    if not row.mends:
        return said
    return f"{said}; true with {_plain(mend_spans(review, row.mends[0]))}"


def _plain(spans: Iterable[Any]) -> str:
    return "".join(span if isinstance(span, str) else getattr(span, "text", "") for span in spans)


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
