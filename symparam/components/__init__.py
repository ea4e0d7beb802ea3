"""Components, found by themselves: a new one is a new file here, or an entry point elsewhere.

A package outside adds its own through the entry-point group ``symparam.components``, each
entry naming a component class.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TypeVar

from symparam.component import Component
from symparam.errors import UnknownName

_C = TypeVar("_C", bound=Component)


def _subclasses(cls: type[Component]) -> list[type[Component]]:
    below = [c for sub in cls.__subclasses__() for c in (sub, *_subclasses(sub))]
    return [c for c in below if c.name]


@cache
def _built_in() -> dict[tuple[str, str], type[Component]]:
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return {(c.slot, c.name): c for c in _subclasses(Component)
            if c.__module__.startswith(__name__)}


@cache
def _with_plugins() -> dict[tuple[str, str], type[Component]]:
    from importlib.metadata import entry_points

    found = dict(_built_in())
    for entry in entry_points(group="symparam.components"):
        cls = entry.load()
        found.setdefault((cls.slot, cls.name), cls)
    return found


def find(slot: str, name: str) -> type[Component]:
    """The component class that is a slot's choice of a name.

    Raises:
        UnknownName: the slot has no such choice.

    >>> find("ffn", "swiglu").title
    'SwiGLU'
    """
    if (slot, name) in _built_in():
        return _built_in()[slot, name]
    everything = _with_plugins()
    if (slot, name) in everything:
        return everything[slot, name]
    raise UnknownName(f"{slot} kind", name, (n for s, n in everything if s == slot))


def choices(slot: str) -> list[str]:
    """The names of a slot's choices.

    >>> choices("attention")
    ['gqa', 'mha', 'mqa']
    """
    return sorted(name for s, name in _with_plugins() if s == slot)


def everything() -> list[type[Component]]:
    """All component classes, by slot and name."""
    found = _with_plugins()
    return [found[key] for key in sorted(found)]
