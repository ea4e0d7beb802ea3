"""symparam: transformer parameter counts, derived symbolically and counted exactly.

>>> import symparam as sp
>>> sp.load("llama-2-7b").count()
6738415616
"""

from __future__ import annotations

from symparam.begun import quiet

quiet()  # before what takes time to load

from typing import TYPE_CHECKING, Any  # noqa: E402

from symparam import dims, renamed, run  # noqa: E402, F401 (its table is known from the start)

if TYPE_CHECKING:
    from symparam.api import (
        Model,
        bundle,
        check_table,
        compare,
        decoder,
        load,
        picture,
        target,
        trace,
    )
    from symparam.documents.derivations.view import DerivationView
    from symparam.errors import SymparamError
    from symparam.quantities.quantity import Quantity

__version__ = "0.1.0"

_HOMES = {"Quantity": "symparam.quantities.quantity", "target": "symparam.api",
          "load": "symparam.api", "decoder": "symparam.api", "check_table": "symparam.api",
          "bundle": "symparam.api", "compare": "symparam.api",
          "picture": "symparam.api", "trace": "symparam.api",
          "Model": "symparam.api", "DerivationView": "symparam.documents.derivations.view",
          "SymparamError": "symparam.errors"}

__all__ = ["DerivationView", "Model", "Quantity", "SymparamError", "__version__", "bundle",
           "check_table", "compare", "decoder", "load", "picture", "target", "trace"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'symparam' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def _declare() -> None:
    from symparam import components

    components.declare()


def _declare_outside() -> None:
    from symparam import components, quantities

    components.declare_outside()
    quantities.everything()


renamed.keep()
dims.declared_elsewhere(_declare, _declare_outside)


def __dir__() -> list[str]:
    return sorted(__all__)
