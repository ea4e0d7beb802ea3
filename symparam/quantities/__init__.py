"""Quantities: named views of the ledger, over any kind of number.

Each module here lists its own under ``QUANTITIES``; a new one is found by itself.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symparam.quantities.quantity import Quantity


@cache
def everything() -> dict[str, Quantity]:
    """All quantities by name, in the order of their modules.

    >>> everything()["kv_cache"].unit
    'B'
    """
    modules = [importlib.import_module(f"{__name__}.{m.name}")
               for m in pkgutil.iter_modules(__path__)]
    return {each.name: each for module in modules for each in getattr(module, "QUANTITIES", ())}


def find(name: str) -> Quantity:
    """A quantity by its name.

    Raises:
        UnknownName: there is no such quantity.
    """
    from symparam.errors import UnknownName

    if name not in everything():
        raise UnknownName("quantity", name, everything())
    return everything()[name]
