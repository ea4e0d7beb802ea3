"""Targets as a person names them: a file, a class, a library's model, a config.json."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Mapping
from pathlib import Path as File
from typing import Any

from symparam.descriptions.reading.source import read_file
from symparam.descriptions.references import configuration_in, on_hub
from symparam.errors import BadValue, SpecError, nearest
from symparam.hub.files import file_of
from symparam.tracing.searching.probing import TraceError
from symparam.tracing.sources.callables import from_callable
from symparam.tracing.sources.configurations import from_config, from_type
from symparam.tracing.sources.libraries import from_diffusers, from_timm
from symparam.tracing.sources.missing import refuse_missing
from symparam.tracing.sources.target import Target

#: Prefixes that win over packages of the same name.
LIBRARIES: dict[str, Callable[[str, Mapping[str, Any]], Target]] = {
    "transformers": from_type, "timm": from_timm, "diffusers": from_diffusers}


def find_target(text: str, settings: Mapping[str, Any]) -> Target:
    """The target that a text names.

    Args:
        text: ``file.py:Model``, ``package.module:Class``, ``transformers:TYPE``, ``timm:NAME``,
            ``diffusers:CLASS``, the path of a ``config.json``, or ``org/name`` of a hub.
        settings: values for its arguments or keys, switches too; a dot goes into a
            configuration inside another.

    Raises:
        BadValue: nothing of that name, or a setting that it does not take.
        TraceError: it does not build. SpecError: a hub does not give it.
    """
    before, colon, after = text.rpartition(":")
    if colon and before in LIBRARIES:
        return LIBRARIES[before](after, settings)
    repository = on_hub(text)
    if repository is not None:
        return _of_file(file_of(repository, "config.json", "a config.json"), settings)
    if text.endswith(".json") or (not colon and File(text).is_dir()):
        return _of_file(File(text), settings)
    if not colon or not before or not after:
        raise BadValue("TARGET", text, "write file.py:Model, package.module:Class, "
                       "transformers:TYPE, timm:NAME, diffusers:CLASS, a config.json or org/name")
    module = _from_path(File(before)) if before.endswith(".py") else _imported(before)
    return from_callable(_member(module, after, before), settings, text)


def _of_file(path: File, settings: Mapping[str, Any]) -> Target:
    try:
        data = read_file(configuration_in(path))
    except SpecError as error:
        raise BadValue("TARGET", str(path), error.problem) from None
    return from_config(data, settings, str(path))


def _from_path(path: File) -> Any:
    """A module of a file; its folder is searched for what it imports."""
    refuse_missing(path)
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise BadValue("TARGET", str(path), "cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    return _run(lambda: spec.loader.exec_module(module), str(path)) or module  # type: ignore[union-attr]


def _imported(name: str) -> Any:
    return _run(lambda: importlib.import_module(name), name)


def _run(load: Callable[[], Any], name: str) -> Any:
    try:
        return load()
    except Exception as error:  # somebody else's code
        raise TraceError(name, f"cannot be imported: {type(error).__name__}: "
                         f"{' '.join(str(error).split())[:160]}") from None


def _member(module: Any, name: str, where: str) -> Callable[..., Any]:
    """A class or function of a module, its own by a path of names."""
    found = module
    for part in name.split("."):
        if not hasattr(found, part):
            near = nearest(part, [n for n in dir(found) if not n.startswith("_")])
            hint = f": did you mean {' or '.join(near)}?" if near else ""
            raise BadValue("TARGET", name, f"{where} has none of that name{hint}")
        found = getattr(found, part)
    if not callable(found):
        raise BadValue("TARGET", name, f"of {where} is no class and no function")
    return found  # type: ignore[no-any-return]
