"""Classes of code beside a configuration."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any


def get_class_from_dynamic_module(reference: str, folder: str, local_files_only: bool = False
                                  ) -> Any:
    """A class of a file in a folder."""
    if not local_files_only:
        raise OSError("it would be fetched")
    package = sys.modules.setdefault("transformers_modules", ModuleType("transformers_modules"))
    package.__path__ = [folder]
    name, _, member = reference.partition(".")
    return getattr(importlib.import_module(f"transformers_modules.{name}"), member)
