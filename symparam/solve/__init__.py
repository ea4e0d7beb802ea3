"""From a number of parameters back to dims: closed forms, and a complete search of integers.

A real root is not a configuration. The closed form says what a width or a depth would have to
be; the search goes over a stated lattice of configurations and leaves no point of it out. The
search is imported when it is asked for: closed forms, which derivatives need too, do without NumPy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symparam.solve.requests.request import Wishes
    from symparam.solve.requests.targets import Wanted
    from symparam.solve.solution import Configuration, Solution
    from symparam.solve.solver import solve

_HOMES = {"Configuration": "solution", "Solution": "solution", "Wanted": "requests.targets",
          "Wishes": "requests.request", "solve": "solver"}

__all__ = ["Configuration", "Solution", "Wanted", "Wishes", "solve"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'symparam.solve' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"symparam.solve.{_HOMES[name]}"), name)
