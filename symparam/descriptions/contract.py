"""What a family is held to: no key passes unread, no entry of its layout is for nothing."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

from symparam.errors import ContractError
from symparam.layout import Entry, is_at
from symparam.model import Model

#: Families of the package stand here; their entries are held against many models, by its tests.
_OWN = __name__.rpartition(".")[0] + "."


def hold(reader: ModuleType, model: Model, closed: bool) -> None:
    """Refuse a family that lets keys pass, or one from outside with an entry for nothing.

    Args:
        reader: the module that made the model.
        model: what it made.
        closed: whether it refused the keys that it did not read.

    Raises:
        ContractError: what is wrong with it.
    """
    own = getattr(reader, "__name__", "outside")
    if not closed:
        raise ContractError(own, "its build ends without config.close(...), so that a "
                            "key which changes the weights would pass", "family")
    if not own.startswith(_OWN):
        for each, name in unmatched(model):
            raise ContractError(own, f"entry({each.component!r}, {name!r}, ...) is for "
                                f"nothing in {model.name}: {_there(model, each)}", "family")


def unmatched(model: Model) -> Iterator[tuple[Entry, str]]:
    """The entries of a model's layout for which no component has a name, each with the matrix.

    >>> from symparam.descriptions.load import load
    >>> list(unmatched(load("gpt2")))
    []
    """
    for each in model.layout.entries:
        names = [names for path, names in _named(model) if is_at(each, path)]
        yield from ((each, name) for name in each.matrices if not any(name in n for n in names))


def _named(model: Model) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The paths of components, and the matrices that each has a name for."""
    return ((f"{stack.name}.{slot.path}", tuple(slot.component.names))
            for stack, slot in model.slots())


def _there(model: Model, own: Entry) -> str:
    """What there is where an entry looks, or where there is anything."""
    here = dict.fromkeys(name for path, names in _named(model) if is_at(own, path)
                         for name in names)
    if here:
        return f"there are {', '.join(here)}"
    return f"the places are {', '.join(dict.fromkeys(p for p, names in _named(model) if names))}"
