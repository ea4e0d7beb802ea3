"""How many positions of a language model a picture takes: what a whole says of what it sees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from symparam import expression as ex
from symparam.constraints import Equation
from symparam.dataclass import dataclass
from symparam.dims import Dim
from symparam.ledger import Number, Positions
from symparam.stack import Stack

if TYPE_CHECKING:
    from symparam.model import Model


#: The dims that are the size of a picture, in pixels.
SIZE = ("image_height", "image_width")


@dataclass(frozen=True)
class Picture:
    """How many positions of the language model a picture takes.

    Attributes:
        takes: in words what fills them, and the factors of how many.
        dims: what they depend on that no weight has, the size of the picture first.
        equations: how these follow.
        place: the stack that puts them out.
        unset: why it is not known; empty where it is.
    """

    takes: tuple[tuple[str, tuple[ex.Expr, ...]], ...] = ()
    dims: tuple[Dim, ...] = ()
    equations: tuple[Equation, ...] = ()
    place: str = ""
    unset: str = ""

    @property
    def none(self) -> frozenset[str]:
        """The dims that may be 0: what has no tiles, and what is too small for a position."""
        return frozenset(eq.dim for eq in self.equations if eq.inputs)

    def needed(self) -> Iterator[str]:
        """The dims that the numbers of positions are written in."""
        for _, factors in self.takes:
            for factor in factors:
                yield from ex.symbols_in(factor)

    def positions(self, stacks: Iterable[Stack], values: Mapping[str, Number],
                  ) -> Iterator[Positions]:
        """The positions over a namespace of dims, below the stack that puts them out."""
        for stack in stacks:
            for what, factors in self.takes if stack.name == self.place else ():
                path = f"{stack.name}.{stack.slots[-1].path}.{what.replace(' ', '_')}"
                shape = tuple(ex.evaluate(factor, values) for factor in factors)
                yield Positions(path, shape, what, "picture")


def blind(model: Model) -> str:
    """Why it is not known how many positions a picture takes; empty where it is."""
    if model.picture is not None:
        return f"{model.name} {model.picture.unset}" if model.picture.unset else ""
    if model.part in ("all", "without the head"):
        return f"{model.name} has nothing that sees"
    return f"of {model.name} its {model.part} alone is looked at, which takes no picture"


def sizes(model: Model) -> tuple[str, ...]:
    """The dims of a picture's size that its positions depend on; none where all pictures are
    brought to one size, or nothing sees them."""
    dims = {dim.name for dim in model.picture.dims} if model.picture is not None else set()
    return tuple(name for name in SIZE if name in dims)


def followed(model: Model, values: Mapping[str, int]) -> Iterator[Equation]:
    """How a picture's dims follow that nobody gave, as far as some numbers have them."""
    for eq in model.picture.equations if model.picture else ():
        if eq.dim in values and eq.dim not in model.values:
            yield eq
