"""Components, found by themselves: a new one is a new file here, or an entry point elsewhere.

A file is named after its component, or after the slot whose choices it holds, and is imported
when one of them is asked for. A package outside adds its own through the entry-point group
``symparam.components``, each entry naming a component class.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import TypeVar

from symparam import plugins
from symparam.component import Component
from symparam.errors import ContractError, UnknownName

_C = TypeVar("_C", bound=Component)


def _subclasses(cls: type[Component]) -> list[type[Component]]:
    below = [c for sub in cls.__subclasses__() for c in (sub, *_subclasses(sub))]
    return [c for c in below if c.name]


@cache
def _files() -> frozenset[str]:
    return plugins.modules_in(__path__)


def _imported() -> dict[tuple[str, str], type[Component]]:
    found: dict[tuple[str, str], type[Component]] = {}
    for cls in _subclasses(Component):
        if cls.__module__.startswith(__name__):
            other = found.setdefault((cls.slot, cls.name), cls)
            if other is not cls:
                raise ContractError(cls.__name__, f"{cls.slot} {cls.name} is {other.__name__}")
    return found


@cache
def _built_in() -> dict[tuple[str, str], type[Component]]:
    for name in sorted(_files()):
        importlib.import_module(f"{__name__}.{name}")
    return _imported()


@cache
def _with_plugins() -> dict[tuple[str, str], type[Component]]:
    found = dict(_built_in())

    def take(cls: type[Component]) -> None:
        if not (isinstance(cls, type) and issubclass(cls, Component)):
            raise ContractError(str(cls), "is no class of a component")
        other = found.setdefault((cls.slot, cls.name), cls)
        if other is not cls:
            raise ContractError(cls.__name__, f"{cls.slot} {cls.name} is {_whose(other)}")

    plugins.load("symparam.components", take)
    return found


def _whose(cls: type[Component]) -> str:
    """Whose component it is, for one of the same name."""
    own = cls.__module__.startswith(f"{__name__}.")
    return "the package's own" if own else f"{cls.__name__} of {cls.__module__}"


def declare() -> None:
    """Import every file here, so that all dims of the package's own are known."""
    _built_in()


def declare_outside() -> None:
    """Import the components of packages outside, so that their dims are known."""
    _with_plugins()


@cache
def _likely(slot: str, name: str) -> type[Component] | None:
    """The component, if it is in a file of its own name or of its slot's."""
    own, place = name.replace("-", "_"), slot.replace("-", "_")
    for file in (own, f"{own}_{place}", place, f"{place}s"):
        if file in _files():
            importlib.import_module(f"{__name__}.{file}")
            if (found := _imported().get((slot, name))) is not None:
                return found
    return None


def find(slot: str, name: str) -> type[Component]:
    """The component class that is a slot's choice of a name.

    Raises:
        UnknownName: the slot has no such choice.

    >>> find("ffn", "swiglu").title
    'SwiGLU'
    """
    found = _likely(slot, name) or _built_in().get((slot, name)) or _with_plugins().get(
        (slot, name))
    if found is None:
        raise UnknownName(f"{slot} kind", name, choices(slot))
    return found


def choices(slot: str) -> list[str]:
    """The names of a slot's choices.

    >>> choices("token"), "rmsnorm" in choices("norm")
    (['token'], True)
    """
    return sorted(name for s, name in _with_plugins() if s == slot)


def beside(component: Component) -> list[type[Component]]:
    """The choices of its slot in the file of a component, and no other file is imported.

    >>> [cls.name for cls in beside(find("attention", "gqa")())]
    ['gqa', 'mha', 'mqa']
    """
    own = type(component)
    return sorted((cls for cls in _subclasses(Component)
                   if (cls.slot, cls.__module__) == (own.slot, own.__module__)),
                  key=lambda cls: cls.name)


def everything() -> list[type[Component]]:
    """All component classes, by slot and name."""
    found = _with_plugins()
    return [found[key] for key in sorted(found)]
