"""symparam: transformer parameter counts, derived symbolically and counted exactly.

>>> import symparam as sp
>>> sp.load("llama-2-7b").count()
6738415616
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symparam.api import DerivationView, Model, check_table, decoder, load, picture
    from symparam.errors import SymparamError

__version__ = "0.1.0"

_HOMES = {"load": "symparam.api", "decoder": "symparam.api", "check_table": "symparam.api",
          "picture": "symparam.api",
          "Model": "symparam.api", "DerivationView": "symparam.api",
          "SymparamError": "symparam.errors"}

__all__ = ["DerivationView", "Model", "SymparamError", "__version__", "check_table", "decoder",
           "load", "picture"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'symparam' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
