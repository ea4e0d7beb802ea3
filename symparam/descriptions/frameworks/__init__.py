"""Configurations of the frameworks that models are trained with, a file a format.

Each has ``NAME``, ``recognised(file, data)`` (whether a table from a file of this name is one) and
``build(config, name)``, as a family has; ``normal(data)`` where keys are written in several
ways, and ``almost(data)`` where it can say what a table lacks that looks like one.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from types import ModuleType
from typing import Any

from symparam.descriptions.config import Config, built
from symparam.descriptions.read_as import PLAIN, ReadAs
from symparam.model import Model


@cache
def known() -> dict[str, ModuleType]:
    """The formats by their names."""
    found = [importlib.import_module(f"{__name__}.{each.name}")
             for each in pkgutil.iter_modules(__path__)]
    return {module.__name__.rpartition(".")[2]: module for module in found}


def framework_of(file: str, data: Mapping[str, Any]) -> ModuleType | None:
    """The format that a table is of; None where it is of none.

    Args:
        file: the plain name of its file.
        data: its keys and values.
    """
    return next((module for module in known().values() if module.recognised(file, data)), None)


def almost(data: Mapping[str, Any]) -> str:
    """What a table lacks to be one of a format's, by the format that can say so; else empty."""
    return next((said for module in known().values() if hasattr(module, "almost")
                 and (said := module.almost(data))), "")


def read_framework(framework: ModuleType, where: str, data: Mapping[str, Any], name: str,
                   read_as: ReadAs = PLAIN) -> Model:
    """The model that a framework's configuration describes, its tensors named as they are there.

    Raises:
        SpecError: a key or value that is not understood, numbers that do not go together.
    """
    if hasattr(framework, "normal"):
        data = framework.normal(data)
    config = Config(where, data, read_as.task, read_as.mtp, model_type=framework.NAME,
                    ignored=read_as.ignored)
    model = built(config, framework, name)
    return replace(model, layout=replace(model.layout, name=framework.NAME))
