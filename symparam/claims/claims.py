"""Claims about one model, judged together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symparam.claims.claim import Claim, read_claim
from symparam.claims.judged import EXPLAINED, Review, judged, review_rows
from symparam.claims.names import Names
from symparam.model import Model


def read_claims(model: Model, texts: Iterable[str]) -> tuple[Claim, ...]:
    """What is said of a model, in the names that it knows.

    Raises:
        ParseError, UnknownName, BadValue: a claim that cannot be read.
    """
    names = Names(model).spelled()
    return tuple(read_claim(text, names) for text in texts)


def review_claims(model: Model, claims: Sequence[Claim], most: int = EXPLAINED) -> Review:
    """Verdicts on claims about a model, with the numbers that it has and their source.

    Args:
        model: the model.
        claims: what is said of it.
        most: of how many claims that are not true the changes that mend them are looked for.

    Raises:
        MissingDims: a number that a claim needs is nowhere given.
    """
    rows = [(model, judged(model, claim, model.name, 0)) for claim in claims]
    known = " ".join(f"{name}={value}" for name, value in Names(model).dims.items())
    source = [f"source: {model.source}"] if model.source else []
    return review_rows(model.name, "", rows, [f"dims: {known}", *source], most)
