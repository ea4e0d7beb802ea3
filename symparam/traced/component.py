"""A component whose matrices are data: what a trace found, read as any other component is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symparam import expression as ex
from symparam.component import Component, Dims
from symparam.dataclass import dataclass
from symparam.dims import Dim, describe
from symparam.ledger import Index, Matrix, Role, Status


@dataclass(frozen=True)
class Listed:
    """One matrix, its extents as expressions with ``+`` and ``*`` alone.

    Attributes:
        name: in its component.
        shape: each axis over dims; what is repeated inside the block left out.
        tensor: its name in the state dict, under that of its block.
        role, status, tied_to: as :class:`~symparam.ledger.Matrix` has them.
        inner: over what it is repeated inside the block: a name and how many.
    """

    name: str
    shape: tuple[ex.Expr, ...]
    tensor: str
    role: Role = "matmul"
    status: Status = "trainable"
    tied_to: str | None = None
    inner: tuple[tuple[str, ex.Expr], ...] = ()

    def symbols(self) -> Iterator[str]:
        """The dims in it."""
        for extent in (*self.shape, *(count for _, count in self.inner)):
            yield from ex.symbols_in(extent)


@dataclass(frozen=True)
class Listing:
    """What a traced component is: the kind of its slot, its name in text, its matrices."""

    slot: str
    title: str
    source: str
    rows: tuple[Listed, ...]

    def symbols(self) -> tuple[str, ...]:
        """The dims in its matrices, each once."""
        return tuple(dict.fromkeys(name for row in self.rows for name in row.symbols()))


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

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The rows, over a namespace of dims."""
        values = {name: getattr(d, name) for name in self.listing.symbols()}
        for row in self.listing.rows:
            inner = (Index(name, count, count, count) for name, count in (
                (name, ex.evaluate(count, values)) for name, count in row.inner))
            yield Matrix(row.name, tuple(ex.evaluate(e, values) for e in row.shape), row.name,
                         row.role, status=row.status, tied_to=row.tied_to, indices=tuple(inner))
