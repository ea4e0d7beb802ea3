"""Parameter counts, each under the name of its convention.

Every function takes a ledger over any kind of number and sums what it keeps of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from symparam.ledger import Extent, Ledger, Matrix, Number, grouped

EXPERT = "expert"


def total(ledger: Ledger) -> Number:
    """All parameters, tied ones once; no buffers."""
    return ledger.total()


def trainable(ledger: Ledger) -> Number:
    """All parameters but frozen tables."""
    return ledger.total(lambda m: m.status == "trainable")


def with_buffers(ledger: Ledger) -> Number:
    """All parameters and the persistent buffers that a checkpoint holds beside them."""
    return sum(m.size() for m in ledger if m.tied_to is None)


def _is_position_table(m: Matrix) -> bool:
    return m.part == "positions" and m.role == "embedding"


#: What each convention of a count without embeddings keeps: all but the token embedding; also
#: without the head (a tied one counts nothing further); also without tables of positions.
KEPT: dict[str, Callable[[Matrix], bool]] = {
    "without_input": lambda m: m.part != "token",
    "without_embeddings": lambda m: m.part not in {"token", "head"},
    "without_positions": lambda m: m.part not in {"token", "head"} and not _is_position_table(m),
}


def non_embedding(ledger: Ledger, extent: Extent = "stored") -> dict[str, Number]:
    """The three conventions of a count without embeddings, by name."""
    return {name: ledger.total(keep, extent) for name, keep in KEPT.items()}


def has_experts(ledger: Ledger) -> bool:
    """Whether it is a mixture of experts."""
    return any(index.name == EXPERT for m in ledger for index in m.indices)


def active(ledger: Ledger) -> dict[str, Number] | None:
    """Parameters that a token touches, for a mixture of experts; None for any other model."""
    if not has_experts(ledger):
        return None
    less = non_embedding(ledger, "active")
    return {"all": ledger.total(extent="active"), "without_input": less["without_input"],
            "without_embeddings": less["without_embeddings"]}


@dataclass(frozen=True)
class Row:
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


def breakdown(ledger: Ledger) -> list[Row]:
    """The parameters component by component; the rows sum to the total."""
    return list(_rows(ledger))


def _rows(ledger: Ledger) -> Iterator[Row]:
    for path, matrices in grouped(ledger, lambda m: place(m.path)).items():
        kept = [m for m in matrices if m.status != "buffer"]
        if not kept:
            continue
        outer = kept[0].indices[:1]
        copies: Any = outer[0].stored if outer else 1
        per_copy: Any = sum(_inner(m, len(outer)) for m in kept if m.tied_to is None)
        yield Row(path, kept[0].part, copies, per_copy, copies * per_copy, tuple(kept))


def _inner(m: Matrix, outer: int) -> Number:
    """Numbers of a matrix in one copy of its block."""
    result = m.numel()
    for index in m.indices[outer:]:
        result = index.stored * result
    return result


def place(path: str) -> str:
    """The row that a matrix belongs to: stack and slot.

    >>> place("layers.norms.attention.gain"), place("layers[dense].ffn.W_up")
    ('layers.norms', 'layers[dense].ffn')
    """
    stack, slot = path.split(".")[:2]
    return f"{stack}.{slot}"
