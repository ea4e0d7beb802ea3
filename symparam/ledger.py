"""The ledger: a flat list of named weight matrices with their shapes. Everything is a view of it.

Beside the matrices stand two lists of what costs something and has no weight: what is kept while
a model runs (:class:`State`), and products of what it computes itself (:class:`Product`).

Shapes are any numbers that know ``+`` and ``*``: integers for exact counts, SymPy symbols for
formulas, arrays for sweeps, expression trees for lines as written.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from functools import cached_property
from typing import Any, Literal, TypeAlias

from symparam.dataclass import dataclass
from symparam.errors import BadValue, LayoutError

Number: TypeAlias = Any
Role: TypeAlias = Literal["embedding", "matmul", "gain", "bias", "convolution", "state"]
Status: TypeAlias = Literal["trainable", "frozen", "buffer"]
Stream: TypeAlias = Literal["token", "sequence", "encoder"]
Extent: TypeAlias = Literal["stored", "applied", "active"]
Over: TypeAlias = Literal["keys", "encoder", "nothing"]
Work: TypeAlias = Literal["matmul", "scan"]


@dataclass(frozen=True)
class Index:
    """A named repetition, with three extents.

    Attributes:
        name: ``layer``, ``expert``.
        stored: how many copies a checkpoint holds.
        applied: how many are applied to a token.
        active: how many distinct ones a token touches.

    A layer is ``L, L, L``; k of E experts are ``E, k, k``; ALBERT's shared layer is ``1, L, 1``.
    """

    name: str
    stored: Number
    applied: Number
    active: Number


#: What experts are repeated over of which nobody says how many a token uses.
BANK = "bank"
#: Why not all is known of a model that has such experts.
BANKED = "the configuration does not say how many experts a token uses"


def in_brackets(path: str) -> tuple[str, ...]:
    """The words in brackets behind a path: layers that have a window, a share's own word.

    >>> in_brackets("layers.attention.K[window][prefix]"), in_brackets("layers[dense].ffn.W_up")
    (('window', 'prefix'), ())
    """
    _, *words = path.rpartition(".")[2].split("[")
    return tuple(word.removesuffix("]") for word in words)


class _Entry:
    """What stands at a path of the ledger and has a shape."""

    path: str
    shape: tuple[Number, ...]

    @property
    def name(self) -> str:
        """Its own name, the last part of its path: ``W_Q``."""
        return self.path.rpartition(".")[2]

    @property
    def component(self) -> str:
        """Path of the component that lists it: ``layers.attention``."""
        return self.path.rpartition(".")[0]

    def numel(self) -> Number:
        """Numbers in one copy or one entry, or multiply-adds of one pair."""
        return math.prod(self.shape)


@dataclass(frozen=True)
class Matrix(_Entry):
    """One weight matrix (or vector), listed once for all its copies.

    Attributes:
        path: unique in the ledger, for instance ``layers.attention.W_Q``.
        shape: as PyTorch holds it: (outputs, inputs), (rows, width), or (width,).
        what: what it is for, in a few words.
        role: what is done with it.
        part: the kind of component that it belongs to (``attention``, ``norm``, ``head`` ...).
        indices: what it is repeated over, outermost first.
        tied_to: path of the matrix whose numbers it shares; it is then stored 0 times.
        status: trainable; frozen (a parameter that is not trained); or a buffer of the checkpoint.
        stream: applied to each token, once a sequence, or to encoder tokens.
        tensor: its name in a checkpoint unless a layout says otherwise, indices written ``*``.
        stem: what the names of its component begin with; a part of ``tensor``.
        times: how many vectors it multiplies for each one of its stream (0: a table that is
            looked up, 2: a projection of twice as many relative positions).
    """

    path: str
    shape: tuple[Number, ...]
    what: str
    role: Role = "matmul"
    part: str = ""
    indices: tuple[Index, ...] = ()
    tied_to: str | None = None
    status: Status = "trainable"
    stream: Stream = "token"
    tensor: str = ""
    stem: str = ""
    times: Number = 1

    @property
    def banked(self) -> bool:
        """Whether it is one of experts of which nobody says how many a token uses."""
        return any(index.name == BANK for index in self.indices)

    def copies(self, extent: Extent = "stored") -> Number:
        """How many copies are stored, applied, or active."""
        return math.prod(getattr(index, extent) for index in self.indices)

    def size(self, extent: Extent = "stored") -> Number:
        """Numbers in all copies, ties not considered."""
        return self.copies(extent) * self.numel()

    def under(self, place: str, index: Index | None, part: str, stem: str, name: str,
              stream: Stream | None = None) -> Matrix:
        """The same matrix inside a component, a block and a stack.

        Args:
            place: path of its component.
            index: over what the block is repeated, if it is.
            part: the kind of the component.
            stem: what the component's names in a checkpoint begin with.
            name: the matrix's own name after that.
            stream: what the block is applied to, where it is not each token.
        """
        indices = self.indices if index is None else (index, *self.indices)
        return Matrix(f"{place}.{self.path}", self.shape, self.what, self.role, part, indices,
                      self.tied_to, self.status, stream or self.stream, stem + name, stem,
                      self.times)  # replace() would take twice as long, thousands of times


@dataclass(frozen=True)
class _Listed(_Entry):
    """What states and products have alike.

    Attributes:
        path: unique in the ledger, for instance ``layers.attention.K``.
        shape: of one entry of a state; of a product, its factors for one pair.
        what: what it is, in a few words.
        part: the kind of component that it belongs to.
        indices: what it is repeated over; layers that share weights still have states each.
        stream: one for each token, once a sequence, or one for each encoder token.
        every: one entry, or one key, stands for so many tokens.
        window: how many tokens are kept, or seen, at most; None for all of them.
    """

    path: str
    shape: tuple[Number, ...]
    what: str
    part: str = ""
    indices: tuple[Index, ...] = ()
    stream: Stream = "token"
    every: Number = 1
    window: Number | None = None

    def copies(self) -> Number:
        """How many there are: each layer that is applied has its own."""
        return math.prod(index.applied for index in self.indices)


@dataclass(frozen=True)
class State(_Listed):
    """What is kept of the past while a model runs, listed once for all its copies.

    ``stream`` says for what there is an entry: for each token (keys, values, latents), for each
    token of an encoder (keys and values of cross-attention), or one a sequence, however long it
    is (a recurrent state, the last inputs of a convolution).
    """


@dataclass(frozen=True)
class Product(_Listed):
    """A product of two things that a model computes, neither of which is a weight.

    ``shape`` has the multiply-adds of one pair as its product: scores of n_heads heads of d_head
    cost n_heads·d_head for each query and each key. ``stream`` says what asks.

    Attributes:
        over: what it is paired with: the keys that it sees, the encoder's tokens, or nothing (a
            product of each token alone, as in a recurrence).
        work: a matrix product, or a scan: what a recurrence does number by number.
        causal: whether a query sees itself and what is before it alone.
    """

    over: Over = "keys"
    work: Work = "matmul"
    causal: bool = True


@dataclass(frozen=True)
class Positions(_Listed):
    """Positions of the language model that one picture takes: as many as the product of ``shape``.
    """


@dataclass(frozen=True)
class Ledger:
    """The matrices of a model, in the order in which a token meets them.

    Attributes:
        matrices: the weights.
        states, products: the lists of what has no weight; empty unless they were asked for.
        pictures: the positions that a picture takes, in the same way.
        blind: why nobody knows these; empty where they are known.
        unset: why nobody knows them, nor how often a weight is used; empty where it is known.
        untraced: the same of what a trace found alone: a stated model says how many copies of its
            weights a token is sent to, whatever else it does not say.
        untold: why nobody knows which matrices are embeddings; empty where it is known.

    Raises:
        LayoutError: two matrices share a path, or a tie leads nowhere.
    """

    matrices: tuple[Matrix, ...]
    states: tuple[State, ...] = ()
    products: tuple[Product, ...] = ()
    unset: str = ""
    untold: str = ""
    pictures: tuple[Positions, ...] = ()
    blind: str = ""
    untraced: str = ""
    _by_path: dict[str, Matrix] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_path = {m.path: m for m in self.matrices}
        object.__setattr__(self, "_by_path", by_path)
        if len(by_path) != len(self.matrices):
            paths = [m.path for m in self.matrices]
            twice = next(path for path in paths if paths.count(path) > 1)
            raise LayoutError(f"two matrices share the path {twice}")
        for m in self.matrices:
            if m.tied_to is not None and m.tied_to not in by_path:
                raise LayoutError(f"{m.path} is tied to {m.tied_to}, which is not in the ledger")

    def __iter__(self) -> Iterator[Matrix]:
        return iter(self.matrices)

    def __len__(self) -> int:
        return len(self.matrices)

    def __getitem__(self, path: str) -> Matrix:
        return self._by_path[path]

    def __contains__(self, path: str) -> bool:
        return path in self._by_path

    def at_work(self) -> Ledger:
        """The same ledger, where it is known what the model does with its weights.

        Raises:
            BadValue: it is not.
        """
        if self.unset:
            raise BadValue("FLOPs, caches, activations, active parameters", "unset",
                           self.unset)
        return self

    @cached_property
    def unsent(self) -> str:
        """Why nobody knows which parameters a token is sent to; empty where it is known."""
        return self.untraced or (BANKED if any(m.banked for m in self.stored()) else "")

    def sent(self) -> Ledger:
        """The same ledger, where it is known which parameters a token is sent to.

        Raises:
            BadValue: it is not.
        """
        if self.unsent:
            raise BadValue("active parameters", "unset", self.unsent)
        return self

    def pictured(self) -> tuple[Positions, ...]:
        """The positions that one picture takes.

        Raises:
            BadValue: it takes none, or nobody knows how many.
        """
        if self.blind:
            raise BadValue("image_tokens", "unset", self.blind)
        return self.pictures

    def stored(self) -> Iterator[Matrix]:
        """The matrices that are counted: each tied one only where it is stored, no buffers."""
        return (m for m in self.matrices if m.tied_to is None and m.status != "buffer")

    def total(self, keep: Callable[[Matrix], bool] = lambda _: True,
              extent: Extent = "stored") -> Number:
        """The sum over counted matrices for which ``keep`` holds."""
        return sum(m.size(extent) for m in self.stored() if keep(m))


def grouped(matrices: Iterable[Matrix], key: Callable[[Matrix], str]) -> dict[str, list[Matrix]]:
    """Matrices by a key, in order of first appearance."""
    groups: dict[str, list[Matrix]] = {}
    for matrix in matrices:
        groups.setdefault(key(matrix), []).append(matrix)
    return groups
