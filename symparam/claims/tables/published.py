"""Rows named after a published model whose numbers they have: what they do not say is as there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from symparam.claims.likely import called_after
from symparam.descriptions.load import load
from symparam.dims import L
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
    >>> published("T5-11B", {"L": 24, "d_ff": 65536})  # of its encoder and of its decoder
    't5-11b'
    >>> published("GPT-2", {"L": 12, "d_model": 768, "d_ff": 3072})
    'gpt2'
    """
    known = called_after(name)
    return None if known is None or any(_others(known, said)) else known


def of_two(name: str, said: Mapping[str, int | Rule]) -> str:
    """Why it is not known what a row counts that is named after a published model with an encoder
    and a decoder and has other numbers: it is no decoder. Empty for any other row.

    >>> of_two("T5-11B", {"L": 24, "d_ff": 16384})
    't5-11b has an encoder and a decoder, and other numbers (d_ff = 65536): \
which model the row is of is not known'
    >>> of_two("T5-11B", {"L": 24, "d_ff": 65536}), of_two("Llama 2 70B", {"d_model": 4096})
    ('', '')
    """
    known = called_after(name)
    if known is None or not any(slot.component.reads_encoder for _, slot in load(known).slots()):
        return ""
    others = list(_others(known, said))
    return (f"{known} has an encoder and a decoder, and other numbers ({', '.join(others)}): "
            "which model the row is of is not known") if others else ""


def _others(known: str, said: Mapping[str, int | Rule]) -> Iterator[str]:
    """The dims that a published model has otherwise, or not at all, than a row says.

    A model with an encoder and a decoder has a dim that both have alike, and as many layers as
    each of them has, or both have together.
    """
    model = load(known)
    own = resolve(model, model.dims).values  # those that follow by a rule too
    for dim, value in said.items():
        sides = [own[each] for each in (f"{dim}_encoder", f"{dim}_decoder") if each in own]
        found = {own[dim]} if dim in own else set(sides) if len(set(sides)) == 1 else set()
        if dim == L.name and len(sides) == 2:
            found.add(sum(sides))
        if value not in found:
            numbers = " or ".join(map(str, sorted(found)))
            yield f"{dim} = {numbers}" if found else f"no {dim}"


def as_published(rows: Iterable[tuple[str, str]]) -> str:
    """What is said of such rows, each with its model.

    >>> as_published([("Llama 2 7B", "llama-2-7b")])
    'what rows named after a published model do not say is as there, where they have its numbers: \
Llama 2 7B (llama-2-7b)'
    """
    listed = [name if name == known else f"{name} ({known})" for name, known in rows]
    return ("what rows named after a published model do not say is as there, where they have its "
            f"numbers: {some(listed, NAMED)}")
