"""What a configuration can be written as, a file a format.

Each has ``FILE``, what its file is usually called; ``candidates(parts)``, the keys that say a
model's matrices, each with its format in the table of settings
(:mod:`symparam.descriptions.settings.rows`); ``kept(rest)``, which keys of another configuration of
the same tool go along as they are; ``joined(keys, settings)``, both as one;
``text(data)`` and ``read(data, name)``, which reads them.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import ModuleType
from typing import Any


@cache
def known() -> dict[str, ModuleType]:
    """The formats by the names that ``--to`` takes."""
    return {each.name: importlib.import_module(f"{__name__}.{each.name}")
            for each in pkgutil.iter_modules(__path__)}


def nothing(rest: Mapping[str, Any]) -> dict[str, Any]:
    """No key of another format goes along."""
    return {}


def side_by_side(keys: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Keys and settings in one table."""
    return {**keys, **settings}
