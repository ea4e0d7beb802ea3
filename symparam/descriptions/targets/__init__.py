"""What a configuration can be written as, a file a format.

Each has ``FILE``, what its file is usually called; ``candidates(parts)``, the keys in which a model
may be written, each with what is lost; ``text(data)`` and ``read(data, name)``, which reads them.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from types import ModuleType


@cache
def known() -> dict[str, ModuleType]:
    """The formats by the names that ``--to`` takes."""
    return {each.name: importlib.import_module(f"{__name__}.{each.name}")
            for each in pkgutil.iter_modules(__path__)}
