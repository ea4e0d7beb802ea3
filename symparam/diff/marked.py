"""How expressions of two models are written as text, where the second one's dims are marked."""

from __future__ import annotations

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.diff.difference import Difference
from symparam.dims import unprimed


@dataclass(frozen=True)
class MarkedWriter(ex.Writer):
    """Writes a marked dim as a name that the grammar reads: ``d_model_new``."""

    suffix: str = "_new"

    def symbol(self, name: str) -> str:
        bare = unprimed(name)
        return bare if bare == name else bare + self.suffix


def writer(d: Difference) -> MarkedWriter:
    """A writer whose marked names are no dims of either model."""
    names, suffix = {*d.before.free, *d.after.free}, "_new"
    while any(name + suffix in names for name in d.marked):
        suffix += "_"
    return MarkedWriter(suffix=suffix)
