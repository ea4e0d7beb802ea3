"""A component whose matrices are data: what a trace found, read as any other component is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from symparam import expression as ex
from symparam.component import Component, Dims
from symparam.dataclass import dataclass
from symparam.dims import Dim, describe
from symparam.ledger import BANK, Index, Matrix, Number, Product, Role, State, Status, Stream

#: What several experts in one tensor are repeated over where it is known how many of them a token
#: is multiplied with.
EXPERT = "expert"
#: What vectors are multiplied with.
_MULTIPLIED = frozenset({"matmul", "convolution"})


@dataclass(frozen=True)
class Listed:
    """One matrix, its extents as expressions with ``+`` and ``*`` alone.

    Attributes:
        name: in its component.
        shape: each axis over dims; what is repeated inside the block left out.
        tensor: its name in the state dict, under that of its block.
        role, status, tied_to: as :class:`~symparam.ledger.Matrix` has them.
        inner: over what it is repeated inside the block: a name and how many.
        times, stream: as :class:`~symparam.ledger.Matrix` has them.
        active: how many of a bank's copies a token is multiplied with, where it is known.
        unknown: why nobody knows how often it is used; empty where it is known.
    """

    name: str
    shape: tuple[ex.Expr, ...]
    tensor: str
    role: Role = "matmul"
    status: Status = "trainable"
    tied_to: str | None = None
    inner: tuple[tuple[str, ex.Expr], ...] = ()
    times: ex.Expr = ex.Num(1)
    stream: Stream = "token"
    active: ex.Expr | None = None
    unknown: str = ""

    def symbols(self) -> Iterator[str]:
        """The dims in it."""
        further = () if self.active is None else (self.active,)
        for extent in (*self.shape, *(count for _, count in self.inner), self.times, *further):
            yield from ex.symbols_in(extent)

    def indices(self, values: Mapping[str, Number]) -> Iterator[Index]:
        """Over what it is repeated inside the block, over a namespace of dims."""
        for name, count in self.inner:
            stored = ex.evaluate(count, values)
            if name == BANK and self.active is not None:
                active = ex.evaluate(self.active, values)
                yield Index(EXPERT, stored, active, active)
            else:
                yield Index(name, stored, stored, stored)


@dataclass(frozen=True)
class ListedWork:
    """One state, or one product without a weight, over dims.

    Attributes:
        entry: the entry as a ledger lists it, its shape and its window left out.
        shape: the axes or factors.
        window: how many tokens are kept or seen at most; None for all.
        unknown: why nobody knows what it costs; empty where it is known.
    """

    entry: State | Product
    shape: tuple[ex.Expr, ...]
    window: ex.Expr | None = None
    unknown: str = ""

    def symbols(self) -> Iterator[str]:
        """The dims in it."""
        for extent in (*self.shape, *(() if self.window is None else (self.window,))):
            yield from ex.symbols_in(extent)

    def listed(self, values: Mapping[str, Number]) -> State | Product:
        """The entry over a namespace of dims."""
        window = None if self.window is None else ex.evaluate(self.window, values)
        return replace(self.entry, shape=tuple(ex.evaluate(e, values) for e in self.shape),
                       window=window)


@dataclass(frozen=True)
class Listing:
    """What a traced component is: the kind of its slot, its name in text, its matrices."""

    slot: str
    title: str
    source: str
    rows: tuple[Listed, ...]
    work: tuple[ListedWork, ...] = ()

    def symbols(self) -> tuple[str, ...]:
        """The dims in its lists, each once."""
        matrices = (name for row in self.rows for name in row.symbols())
        return tuple(dict.fromkeys((*matrices, *(
            name for each in self.work for name in each.symbols()))))

    def unknown(self) -> Iterator[tuple[str, str]]:
        """Why nobody knows the cost of what, by names in its block."""
        for row in self.rows:
            if row.unknown and row.role in _MULTIPLIED and row.status != "buffer":
                yield row.unknown, row.tensor
        for each in self.work:
            if each.unknown:
                yield each.unknown, each.entry.path


class FoundComponent(Component, abstract=True):
    """A component whose matrices are rows of data rather than lines of a class.

    What other components have as attributes of their class, this one has of itself; nothing is
    registered, since its dims are those of one model.
    """

    listing: Listing

    def __post_init__(self) -> None:
        known = self.listing
        tied = bool(known.rows) and any(row.tied_to for row in known.rows)
        for name, value in {
                "name": f"found-{known.slot}", "slot": known.slot, "title": known.title,
                "source": known.source, "tied": tied,
                "dims": tuple(Dim(n, describe(n).latex, "") for n in known.symbols()),
                "example": dict.fromkeys(known.symbols(), 2),
                "names": {row.name: row.tensor for row in known.rows}}.items():
            object.__setattr__(self, name, value)

    @classmethod
    def options(cls) -> dict[str, Any]:
        """None: what it is made of is no choice."""
        return {}

    @property
    def reads_encoder(self) -> bool:
        """Whether it reads what an encoder made, as far as that is known."""
        return any(row.stream == "encoder" for row in self.listing.rows) or any(
            each.entry.stream == "encoder" or getattr(each.entry, "over", "") == "encoder"
            for each in self.listing.work)

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The rows, over a namespace of dims."""
        values = self._values(d, self.listing.rows)
        for row in self.listing.rows:
            yield Matrix(row.name, tuple(ex.evaluate(e, values) for e in row.shape), row.name,
                         row.role, status=row.status, tied_to=row.tied_to,
                         indices=tuple(row.indices(values)), stream=row.stream,
                         times=ex.evaluate(row.times, values))

    def state(self, d: Dims) -> Iterator[State]:
        """What is kept for later tokens, over a namespace of dims."""
        return (each for each in self._at_work(d) if isinstance(each, State))

    def products(self, d: Dims) -> Iterator[Product]:
        """The products without a weight, over a namespace of dims."""
        return (each for each in self._at_work(d) if isinstance(each, Product))

    def _at_work(self, d: Dims) -> Iterator[State | Product]:
        values = self._values(d, self.listing.work)
        return (each.listed(values) for each in self.listing.work)

    @staticmethod
    def _values(d: Dims, rows: Iterable[Listed | ListedWork]) -> dict[str, Number]:
        """The dims that some rows have."""
        return {name: getattr(d, name) for row in rows for name in row.symbols()}
