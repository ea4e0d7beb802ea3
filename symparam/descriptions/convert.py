"""One configuration written as another: what has the same matrices, and what is lost is said.

Every candidate is read back, and its ledger held against the model's, matrix by matrix; what has
no place is a refusal, not another model.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symparam.dataclass import dataclass
from symparam.descriptions.parts import parts_of
from symparam.descriptions.targets import known
from symparam.errors import BadValue, SymparamError, UnknownName
from symparam.model import Model
from symparam.resolve import numbers

_SHOWN = 3


@dataclass(frozen=True)
class Converted:
    """A configuration in other words.

    Attributes:
        to: the format's name. file: what such a file is usually called.
        data: its keys and values. text: the file.
        lost: what changes no weight and has no place there, a phrase each.
    """

    to: str
    file: str
    data: Mapping[str, Any]
    text: str
    lost: tuple[str, ...]


def convert(model: Model, to: str, kind: str = "", data: Mapping[str, Any] | None = None,
            ) -> Converted:
    """A model's configuration as another framework writes it.

    Args:
        model: the model, its dims all numbers.
        to: ``hf``, ``litgpt``, ``megatron`` or ``toml``.
        kind: what it was read from, ``hf`` or a framework's name; empty for a description.
        data: the keys of that.

    Raises:
        UnknownName: no such format. BadValue: it cannot be written so without another matrix.
    """
    if to not in known():
        raise UnknownName("format", to, known())
    target, parts = known()[to], parts_of(model, kind, data or {})
    wanted, best = matrices(model), list[str]()
    for keys, lost in target.candidates(parts):
        try:
            found = matrices(target.read(keys, model.name))
        except SymparamError as error:
            best = best or [str(error)]
            continue
        differ = sorted(path for path in wanted.keys() | found.keys()
                        if wanted.get(path) != found.get(path))
        if not differ:
            return Converted(to, target.FILE, keys, target.text(keys), (*parts.lost, *lost))
        if not best or len(differ) < len(best):
            best = differ
    more = f" and {len(best) - _SHOWN} more" if len(best) > _SHOWN else ""
    where = f": {', '.join(best[:_SHOWN])}{more} would differ" if best else ""
    raise BadValue("--to", to, f"{model.name} cannot be written so without another matrix{where}")


def matrices(model: Model) -> dict[str, tuple[object, ...]]:
    """Every matrix of a model by its path: shape, copies, status, what it is tied to."""
    return {m.path: (m.shape, tuple(index.stored for index in m.indices), m.status, m.tied_to)
            for m in model.ledger(numbers(model).values)}
