"""How a model is asked for on a command line, so that what was changed can be asked for there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from symparam.dataclass import dataclass
from symparam.descriptions.convert import matrices
from symparam.descriptions.load import build, load
from symparam.descriptions.options import Options
from symparam.descriptions.references import published_name
from symparam.errors import SymparamError
from symparam.model import Model


@dataclass(frozen=True)
class Reference:
    """The words that a command begins with.

    Attributes:
        words: MODEL and options, as a shell reads them; None where nobody knows them.
        given: dims that were given besides, as text: another number for one takes its place.
    """

    words: str | None = None
    given: Mapping[str, str] = field(default_factory=dict)


def reference_of(model: Model) -> Reference:
    """How a model of the catalogue is asked for, other numbers of its dims among it.

    >>> reference_of(load("gpt2")), reference_of(build("gpt2", Options(), {"L": 24})).given
    (Reference(words='gpt2', given={}), {'L': '24'})
    """
    name = published_name(model.name)
    if name is None:
        return Reference()
    base = load(name)
    given = {dim: value for dim, value in model.values.items() if base.values.get(dim) != value}
    try:
        same = matrices(build(base, Options(), given)) == matrices(model)
    except SymparamError:
        same = False
    return Reference(name, {dim: str(n) for dim, n in given.items()}) if same else Reference()
