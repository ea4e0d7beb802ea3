"""What packages outside add through entry points; what of it cannot be taken is kept apart.

A plug-in that cannot be loaded, or whose names clash with known ones, ends nothing: whatever does
not use it works as without it. Its package is named where a name is unknown, since that may be
what it would have brought, and by ``symparam components``.
"""

from __future__ import annotations

import os
import pkgutil
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from symparam import errors
from symparam.dataclass import dataclass
from symparam.errors import short

#: The entry-point groups, with what an entry names.
GROUPS = {"symparam.components": "component", "symparam.families": "family",
          "symparam.quantities": "quantity", "symparam.formats": "format"}


@dataclass(frozen=True)
class LeftOut:
    """An entry that was not taken.

    Attributes:
        package: the distribution that has it, with its version.
        group, entry: where it stands there.
        problem: why it was not taken, in one line.
    """

    package: str
    group: str
    entry: str
    problem: str

    def __str__(self) -> str:
        return f"{GROUPS[self.group]} {self.entry} of {self.package} is left out: {self.problem}"


#: How files of modules end.
CODE = (".py", ".pyc")

_left_out: dict[tuple[str, str, str], LeftOut] = {}


def left_out() -> tuple[LeftOut, ...]:
    """The entries that were asked for so far and not taken."""
    return tuple(_left_out.values())


def modules_in(path: Iterable[str]) -> frozenset[str]:
    """The names of the modules in a package, from its ``__path__``: a folder is read once, which
    takes a twentieth of the time; where it is no folder, ``pkgutil`` knows. A package may have been
    installed with some modules compiled alone."""
    found = set[str]()
    for place in path:
        files = set[str]()
        with suppress(OSError):
            files = {each.name.rpartition(".")[0] for each in os.scandir(place)
                     if each.name.endswith(CODE)}
        found |= files or {each.name for each in pkgutil.iter_modules([place])}
    return frozenset(found - {"__init__"})


def load(group: str, take: Callable[[Any], object]) -> None:
    """Hand what each entry of a group names to ``take``, in the order of packages and names.

    Args:
        group: one of ``GROUPS``.
        take: keeps it, or raises where it cannot be kept; the entry is then left out.
    """
    from importlib.metadata import entry_points

    for package, name, entry in sorted(
            ((_package(entry), getattr(entry, "name", "?"), entry)
             for entry in entry_points(group=group)), key=lambda each: each[:2]):
        key = group, package, name
        try:
            take(entry.load())
            _left_out.pop(key, None)
        except Exception as error:  # whatever a package outside raises
            _left_out[key] = LeftOut(package, group, name, _problem(error))
    errors.REMARKS[group] = tuple(str(each) for each in _left_out.values() if each.group == group)


def _package(entry: Any) -> str:
    """The package of an entry, as one would install it."""
    found = getattr(entry, "dist", None)
    return f"{found.name} {found.version}" if found else "a package"


def _problem(error: Exception) -> str:
    """An error in one line; one that is not this package's with its type."""
    text = short(" ".join(str(error).split()), 300)
    return text if isinstance(error, errors.SymparamError) else f"{type(error).__name__}: {text}"
