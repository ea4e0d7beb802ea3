"""A count component by component, over any kind of number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symparam.dataclass import dataclass
from symparam.ledger import Ledger, Matrix, Number, grouped


@dataclass(frozen=True)
class CountRow:
    """A component's place in a breakdown.

    Attributes:
        path: ``layers.attention``; norms of a block stand in one row.
        part: the kind of component.
        copies, per_copy, numel: how many are stored, numbers in one, numbers in all.
        matrices: what it is made of.
    """

    path: str
    part: str
    copies: Number
    per_copy: Number
    numel: Number
    matrices: tuple[Matrix, ...]


def breakdown(ledger: Ledger) -> list[CountRow]:
    """The parameters component by component; the rows sum to the total."""
    return list(_rows(ledger))


def _rows(ledger: Ledger) -> Iterator[CountRow]:
    for path, matrices in grouped(ledger, lambda m: place(m.path)).items():
        kept = [m for m in matrices if m.status != "buffer"]
        if not kept:
            continue
        outer = kept[0].indices[:1]
        copies: Any = outer[0].stored if outer else 1
        per_copy: Any = sum(_inner(m, len(outer)) for m in kept if m.tied_to is None)
        yield CountRow(path, kept[0].part, copies, per_copy, copies * per_copy, tuple(kept))


def _inner(m: Matrix, outer: int) -> Number:
    """Numbers of a matrix in one copy of its block."""
    result = m.numel()
    for index in m.indices[outer:]:
        result = index.stored * result
    return result


def in_words(path: str) -> str:
    """A component in words: its kind of layer and its slot, or the stack that it alone is.

    >>> in_words("layers[dense].ffn"), in_words("head.lm"), in_words("decoder.cross_attention")
    ('dense ffn', 'head', 'decoder cross attention')
    >>> in_words("layers[attention].attention")  # (a kind of layer by what it has)
    'attention'
    """
    stack, _, slot = path.partition(".")
    name, _, kind = stack.partition("[")
    own = [name] if name != "layers" else []
    kind = kind.rstrip("]")
    slots = [] if slot in {"lm", "norm", name, kind} else [slot]
    return " ".join((*own, *filter(None, [kind]), *slots)).replace("_", " ")


def place(path: str) -> str:
    """The row that a matrix belongs to: stack and slot.

    >>> place("layers.norms.attention.gain"), place("layers[dense].ffn.W_up")
    ('layers.norms', 'layers[dense].ffn')
    """
    stack, slot = path.split(".")[:2]
    return f"{stack}.{slot}"
