"""How the matrices of a ledger are stored in a checkpoint: names, fused, transposed.

A layout is a view: it names ledger paths and never lists a shape of its own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache

from symparam.dataclass import dataclass
from symparam.errors import LayoutError
from symparam.ledger import Ledger, Matrix, Number

#: A number in a tensor's name: of a layer, of an expert (``experts.3`` or ``experts.expert_3``).
#: (It begins with a digit, so that nothing is looked at where there is none.)
NUMBER = re.compile(r"[0-9](?:(?<![^.][0-9])|(?<=\.expert_[0-9]))[0-9]{0,11}(?![^.])")


@dataclass(frozen=True)
class Entry:
    """Matrices of one component that are stored as one tensor.

    Attributes:
        component: path of the component, a stack's kind in brackets left out
            (``layers.attention``); ``*.attention`` is the attention of every stack.
        matrices: its matrices, joined along the first axis when they are several.
        tensor: the name, one ``*`` for each index that numbers its copies; copies over the
            remaining (inner) indices are stacked in front of the shape. With a dot in front it
            is put after what the component's names begin with.
        transposed: stored as (inputs, outputs).
        joined: copies over inner indices are joined along the first axis, not stacked in front.
        flat: stored as one row of numbers.
    """

    component: str
    matrices: tuple[str, ...]
    tensor: str
    transposed: bool = False
    joined: bool = False
    flat: bool = False


@dataclass(frozen=True)
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


def entry(component: str, matrices: str, tensor: str, *, transposed: bool = False,
          joined: bool = False, flat: bool = False) -> Entry:
    """An :class:`Entry` from words: ``entry("*.attention", "W_Q W_K W_V", ".c_attn.weight")``."""
    return Entry(component, tuple(matrices.split()), tensor, transposed, joined, flat)


def entries(component: str, transposed: bool = False, /, **names: str) -> tuple[Entry, ...]:
    """Entries for weights with their biases: ``entries("*.attention", O="out_proj")``.

    ``O`` stands for ``W_O`` in ``out_proj.weight`` and ``b_O`` in ``out_proj.bias``; several
    that are fused are written ``Q_K_V="qkv_proj"``; a weight alone is transposed.
    """
    made = []
    for letters, name in names.items():
        parts = letters.split("_")
        weights, biases = (tuple(f"{kind}_{p}" for p in parts) for kind in "Wb")
        made += [Entry(component, weights, f".{name}.weight", transposed),
                 Entry(component, biases, f".{name}.bias")]
    return tuple(made)


@lru_cache(maxsize=2**20)
def pattern(name: str) -> str:
    """A tensor's name with every number in it written ``*``.

    >>> pattern("encoder.block.0.layer.1.DenseReluDense.wi.weight")
    'encoder.block.*.layer.*.DenseReluDense.wi.weight'
    >>> pattern("decoder.layers.3.ffn.experts.expert_12.fc1.weight")
    'decoder.layers.*.ffn.experts.expert_*.fc1.weight'
    """
    return NUMBER.sub("*", name)


@dataclass(frozen=True)
class Layout:
    """A naming scheme. What it has no entry for is stored alone under its default name.

    Attributes:
        name: the scheme, as the output tells it.
        entries: what is stored otherwise than by default.
    """

    name: str = "transformers (Llama naming)"
    entries: tuple[Entry, ...] = ()

    @cached_property
    def _of(self) -> dict[tuple[str, str], Entry]:
        """Each matrix's entry; of one that others are joined to, its own."""
        joined = {(e.component, m): e for e in self.entries for m in e.matrices[1:]}
        return {(e.component, e.matrices[0]): e for e in self.entries} | joined

    def tensors(self, ledger: Ledger, *, buffers: bool = False) -> list[Tensor]:
        """The tensors that hold a ledger's parameters, ties once, equal rows joined; none of a kind
        of layer of which there is none.

        Args:
            ledger: the matrices.
            buffers: whether to list the persistent buffers as well.
        """
        rows: dict[tuple[str, tuple[Number, ...]], list[Tensor]] = {}
        for tensor in self.each(ledger, buffers=buffers):
            rows.setdefault((pattern(tensor.name), tensor.shape), []).append(tensor)
        found = [Tensor(name, shape, sum(row.copies for row in same),
                        tuple(path for row in same for path in row.paths))
                 for (name, shape), same in rows.items()]
        return [row for row in found  # (only what is a plain number is asked for it)
                if not (isinstance(row.copies, int) and row.copies == 0)]

    def each(self, ledger: Ledger, *, buffers: bool = False) -> Iterator[Tensor]:
        """The same tensors one row a stack, with the numbers that their names have.

        Raises:
            LayoutError: an entry joins a matrix that the ledger does not hold, or matrices of
                different widths.
        """
        for matrix in ledger:
            if matrix.tied_to is not None or (matrix.status == "buffer" and not buffers):
                continue
            own = _found(self._of, matrix)
            if own is None:
                yield _tensor([matrix], Entry(matrix.component, (matrix.name,), matrix.tensor))
            elif own.matrices[0] == matrix.name:
                yield _tensor([_part(ledger, matrix.component, name) for name in own.matrices], own)
            else:  # it stands in the tensor of another
                _part(ledger, matrix.component, own.matrices[0])


def _found(among: dict[tuple[str, str], Entry], matrix: Matrix) -> Entry | None:
    where = _without_kind(matrix.component)
    own = among.get((where, matrix.name))
    return own or among.get((f"*.{where.partition('.')[2]}", matrix.name))


def is_at(own: Entry, component: str) -> bool:
    """Whether an entry is for a component at a path of the ledger.

    >>> is_at(entry("*.ffn", "W_up", ".up.weight"), "layers[dense].ffn")
    True
    """
    where = _without_kind(component)
    return own.component in {where, f"*.{where.partition('.')[2]}"}


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


def _tensor(parts: Sequence[Matrix], how: Entry) -> Tensor:
    first, name = parts[0], how.tensor
    if any(part.shape[1:] != first.shape[1:] for part in parts):
        raise LayoutError(f"the layout joins matrices of different widths: {name}")
    if name.startswith("."):
        name = first.stem + name[1:]
    shape = first.shape  # a constant of its own has no axis to be joined along
    if len(parts) > 1:
        shape = (sum(part.shape[0] for part in parts), *shape[1:])
    numbered = name.count("*")
    copies: Number = 1
    for index in first.indices[:numbered]:
        copies = copies * index.stored
    stacked = tuple(index.stored for index in first.indices[numbered:])
    stored = shape[::-1] if how.transposed else shape
    if how.joined:
        stored, stacked = (math.prod(stacked, start=stored[0]), *stored[1:]), ()
    if how.flat:
        stored = (math.prod(stored[1:], start=stored[0]),)
    return Tensor(name, (*stacked, *stored), copies, tuple(part.path for part in parts))
