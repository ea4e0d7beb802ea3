"""How the matrices of a ledger are stored in a checkpoint: names, fused, transposed.

A layout is a view: it names ledger paths and never lists a shape of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from symparam.errors import LayoutError
from symparam.ledger import Ledger, Matrix, Number


@dataclass(frozen=True, slots=True)
class Entry:
    """Matrices of one component that are stored as one tensor.

    Attributes:
        component: path of the component, a stack's kind in brackets left out.
        matrices: its matrices, joined along the first axis when they are several.
        tensor: the name, one ``*`` for each index that numbers its copies; copies over the
            remaining (inner) indices are stacked in front of the shape.
        transposed: stored as (inputs, outputs).
    """

    component: str
    matrices: tuple[str, ...]
    tensor: str
    transposed: bool = False


@dataclass(frozen=True, slots=True)
class Tensor:
    """A row of a checkpoint: a name pattern, a shape, how many there are, what it holds."""

    name: str
    shape: tuple[Number, ...]
    copies: Number
    paths: tuple[str, ...]

    @property
    def numel(self) -> Number:
        """Numbers in all copies."""
        result = self.copies
        for extent in self.shape:
            result = result * extent
        return result


def entry(component: str, matrices: str, tensor: str, *, transposed: bool = False) -> Entry:
    """An :class:`Entry` from words: ``entry("layers.attention", "W_Q W_K W_V", "...c_attn")``."""
    return Entry(component, tuple(matrices.split()), tensor, transposed)


@dataclass(frozen=True)
class Layout:
    """A naming scheme. What it has no entry for is stored alone under its default name.

    Attributes:
        name: the scheme, as the output tells it.
        entries: what is stored otherwise than by default.
    """

    name: str = "transformers (Llama naming)"
    entries: tuple[Entry, ...] = ()

    def tensors(self, ledger: Ledger) -> list[Tensor]:
        """The tensors that hold a ledger's parameters, ties once, equal rows joined."""
        rows: dict[tuple[str, tuple[Number, ...]], Tensor] = {}
        for tensor in self._each(ledger):
            key = tensor.name, tensor.shape
            if key in rows:
                old = rows[key]
                tensor = Tensor(*key, old.copies + tensor.copies, (*old.paths, *tensor.paths))
            rows[key] = tensor
        return list(rows.values())

    def _each(self, ledger: Ledger) -> Iterator[Tensor]:
        for e in self.entries:
            for m in ledger.stored():
                if _without_kind(m.component) == e.component and m.name in e.matrices[1:]:
                    _part(ledger, m.component, e.matrices[0])
        entries = {(e.component, e.matrices[0]): e for e in self.entries}
        inner = {(e.component, m) for e in self.entries for m in e.matrices[1:]}
        for matrix in ledger.stored():
            where = _without_kind(matrix.component)
            if (where, matrix.name) in inner:
                continue
            found = entries.get((where, matrix.name))
            if found is None:
                yield _tensor([matrix], matrix.tensor, transposed=False)
            else:
                parts = [_part(ledger, matrix.component, name) for name in found.matrices]
                yield _tensor(parts, found.tensor, transposed=found.transposed)


def _part(ledger: Ledger, component: str, name: str) -> Matrix:
    path = f"{component}.{name}"
    if path not in ledger:
        raise LayoutError(f"the layout joins {path}, which the ledger does not hold")
    return ledger[path]


def _without_kind(path: str) -> str:
    """A path without the kinds of layer that stand in brackets in it."""
    if "[" not in path:
        return path
    before, _, rest = path.partition("[")
    return before + rest.partition("]")[2]


def _tensor(parts: Sequence[Matrix], name: str, *, transposed: bool) -> Tensor:
    first = parts[0]
    rows = sum(part.shape[0] for part in parts)
    if any(part.shape[1:] != first.shape[1:] for part in parts):
        raise LayoutError(f"the layout joins matrices of different widths: {name}")
    shape = (rows, *first.shape[1:])
    numbered = name.count("*")
    copies: Number = 1
    for index in first.indices[:numbered]:
        copies = copies * index.stored
    stacked = tuple(index.stored for index in first.indices[numbered:])
    return Tensor(name, (*stacked, *(shape[::-1] if transposed else shape)), copies,
                  tuple(part.path for part in parts))
