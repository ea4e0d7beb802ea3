"""What ``symparam check`` does with claims and with tables of them."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import click

from symparam.claims.claims import read_claims, review_claims
from symparam.claims.context import run_names
from symparam.claims.judged import EXPLAINED, Review
from symparam.claims.tables.columns import read_map
from symparam.claims.tables.table_file import is_table, read_table
from symparam.claims.tables.table_rows import Base, review_table
from symparam.cli.arguments import parted
from symparam.cli.output import emit, remark, write
from symparam.cli.request import Request, architecture, loaded_model, read
from symparam.cli.said import say
from symparam.documents.claims import ReviewView
from symparam.documents.claims_annotations import github_lines
from symparam.errors import BadValue
from symparam.expression import symbols_in
from symparam.model import Model
from symparam.notation.notation import Notation
from symparam.showable import line

CLAIMS: tuple[Callable[[Any], Any], ...] = (
    click.option("--claim", "claims", multiple=True, metavar="WHAT=NUMBER",
                 help="A number said of MODEL: P=8B, 'd_ff/d_model=2.67', 'kv_cache<=1GB' "
                 "(repeatable)."),
    click.option("--map", "mapped", multiple=True, metavar="COLUMN=NAME",
                 help="What a column of a table is: a dim, name, P, '-' for nothing (repeatable)."),
    click.option("--strict", is_flag=True,
                 help="Exit 1 for size labels and unnamed conventions too."),
    click.option("--explain", type=click.IntRange(0, 100_000), default=EXPLAINED, metavar="N",
                 help=f"Of how many false rows to look for what mends them ({EXPLAINED})."),
)


def check_tables(values: dict[str, Any], kind: str) -> int:
    """Verdicts on the rows of tables; 1 where one is false."""
    words = values["words"]
    tables = list(filter(is_table, parted(words)[0]))
    rest = tuple(word for word in words if word not in tables)
    if values["claims"]:
        raise BadValue("--claim", values["claims"][0], "goes with a MODEL; a table has its own")
    loaded = loaded_model(rest, values)
    request = read(rest, values, loaded=loaded)
    remark(request.told(), values)
    base = _base(loaded, request, values)
    reviews = [review_table(read_table(path), base, read_map(values["mapped"]), values["explain"],
                            _progress(path, values)) for path in tables]
    return _answer(reviews, request.notation, kind, values)


def _base(loaded: Model | None, request: Request, values: dict[str, Any]) -> Base:
    """The architecture and the dims that hold for all rows."""
    if loaded is None:
        return Base(None, architecture(values), request.given)
    return Base(loaded, architecture(values), request.given)


def check_claims(values: dict[str, Any], kind: str) -> int:
    """Verdicts on claims about one model; 1 where one is false."""
    if values["mapped"]:
        raise BadValue("--map", values["mapped"][0], "goes with a table")
    request = read(values["words"], values)
    claims = read_claims(request.model, values["claims"])
    remark(request.told(*(name for claim in claims for name in (
        *symbols_in(claim.left), *run_names(claim.left)))), values)
    found = review_claims(request.model, claims, values["explain"])
    return _answer([found], request.notation, kind, values)


def _answer(reviews: list[Review], notation: Notation, kind: str, values: dict[str, Any]) -> int:
    view = ReviewView(reviews, notation)
    if kind == "github":
        write(github_lines(reviews), values)
    else:
        emit(view, kind, values)
    return 0 if view.passed(values["strict"]) else 1


def _progress(path: str, values: dict[str, Any]) -> Callable[[int, int], None] | None:
    """Tells how far a long table is, on a terminal, once a second has passed."""
    if values["quiet"] or sys.stderr is None or not sys.stderr.isatty():
        return None
    start = time.monotonic()

    def told(done: int, of: int) -> None:
        if time.monotonic() - start > 1:
            say(f"\r{line(path)}: {done:,} of {of:,} rows", nl=done == of)

    return told
