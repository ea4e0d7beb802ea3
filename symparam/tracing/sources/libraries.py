"""Targets of timm and of diffusers: the class behind a name, and the arguments it is built with."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from typing import Any

from symparam.errors import BadValue, nearest
from symparam.tracing.searching.probing import TraceError
from symparam.tracing.sources.callables import from_callable
from symparam.tracing.sources.target import Target


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        missing = name if error.name in (None, name) or " " in str(error.name) else error.name
        raise BadValue("TARGET", name, f"{missing} is not installed: pip install {name}") from None


def from_diffusers(name: str, settings: Mapping[str, Any]) -> Target:
    """A model class of diffusers, with the defaults of its arguments.

    Raises:
        BadValue: diffusers is not installed, or has no such class. TraceError: it does not build.
    """
    library = _library("diffusers")
    cls = getattr(library, name, None)
    if not inspect.isclass(cls):
        near = nearest(name, [n for n in dir(library) if "Model" in n or "Autoencoder" in n])
        hint = f": did you mean {' or '.join(near)}?" if near else ""
        raise BadValue("TARGET", name, f"diffusers has no class of that name{hint}")
    return from_callable(cls, settings, f"diffusers:{name}")


def from_timm(name: str, settings: Mapping[str, Any]) -> Target:
    """A model of timm: the class that its name stands for, with the arguments that it gives.

    Raises:
        BadValue: timm is not installed, or has no such model. TraceError: it does not build.
    """
    timm = _library("timm")
    if not timm.is_model(name):
        near = nearest(name, timm.list_models())
        hint = f": did you mean {' or '.join(near)}?" if near else ""
        raise BadValue("TARGET", name, f"timm has no model of that name{hint}")
    cls, given = _behind(timm.model_entrypoint(name))
    known = inspect.signature(cls).parameters
    made = from_callable(cls, {**{k: v for k, v in given.items() if k in known}, **settings},
                         f"timm:{name}")
    made.name = name
    return made


class _Caught(Exception):
    """What an entry point of timm would have built."""


def _behind(entry: Any) -> tuple[Any, dict[str, Any]]:
    """The class and arguments that an entry point hands to timm's builder."""
    module = importlib.import_module(entry.__module__)
    before = getattr(module, "build_model_with_cfg", None)
    if before is None:
        raise TraceError(f"timm:{entry.__name__}", "is not built by timm's builder: name its class "
                         f"as {entry.__module__}:CLASS")

    def caught(model_cls: Any, variant: str, pretrained: bool, **named: Any) -> Any:
        raise _Caught(model_cls, named)
    vars(module)["build_model_with_cfg"] = caught
    try:
        entry()
    except _Caught as found:
        return found.args[0], dict(found.args[1])
    finally:
        vars(module)["build_model_with_cfg"] = before
    raise TraceError(f"timm:{entry.__name__}", "builds no class that could be seen")
