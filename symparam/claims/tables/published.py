"""Rows named after a published model whose numbers they have: what they do not say is as there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from symparam.claims.likely import called_after
from symparam.descriptions.load import load
from symparam.errors import some
from symparam.grammar import Rule
from symparam.resolve import resolve

#: How many rows are named.
NAMED = 5


def published(name: str, said: Mapping[str, int | Rule]) -> str | None:
    """The published model that a row is named after, where it has every number that the row says;
    None elsewhere.

    >>> published("Llama 2 70B", {"L": 80, "d_model": 8192})
    'llama-2-70b'
    >>> published("Llama 2 70B", {"L": 80, "d_model": 4096}), published("ours", {"L": 80})
    (None, None)
    >>> published("GPT-2", {"L": 12, "d_model": 768, "d_ff": 3072})
    'gpt2'
    """
    known = called_after(name)
    if known is None:
        return None
    model = load(known)
    own = resolve(model, model.dims).values  # those that follow by a rule too
    return known if all(own.get(dim) == value for dim, value in said.items()) else None


def as_published(rows: Iterable[tuple[str, str]]) -> str:
    """What is said of such rows, each with its model.

    >>> as_published([("Llama 2 7B", "llama-2-7b")])
    'what rows named after a published model do not say is as there, where they have its numbers: \
Llama 2 7B (llama-2-7b)'
    """
    listed = [name if name == known else f"{name} ({known})" for name, known in rows]
    return ("what rows named after a published model do not say is as there, where they have its "
            f"numbers: {some(listed, NAMED)}")
