"""A GGUF header as a configuration, and a model as the tensors of such a file."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from symparam.descriptions.config import read_config
from symparam.descriptions.gguf import architectures
from symparam.descriptions.gguf.keys import Keys
from symparam.descriptions.gguf.names import entries_of
from symparam.descriptions.gguf.parts import read_model, stem_of
from symparam.descriptions.gguf.reader import Gguf
from symparam.descriptions.gguf.table import joins, refuse_contradiction, with_biases
from symparam.descriptions.read_as import PLAIN, ReadAs
from symparam.errors import SpecError, nearest
from symparam.layout import Layout
from symparam.model import Model


@cache
def known_architectures() -> dict[str, ModuleType]:
    """What ``general.architecture`` may say, with the module that reads it."""
    modules = [importlib.import_module(f"{architectures.__name__}.{each.name}")
               for each in pkgutil.iter_modules(architectures.__path__)]
    return {name: module for module in modules for name in module.ARCHITECTURES}


def configuration_of(file: Gguf) -> dict[str, Any]:
    """What a ``config.json`` would say of the model in a file.

    Raises:
        SpecError: an architecture or a key that is not understood.
    """
    return _configured(file)[1]


def _configured(file: Gguf, ignored: Iterable[str] = ()) -> tuple[Keys, dict[str, Any]]:
    module = _module(file)
    keys = Keys(file, ignored)
    return keys, module.configuration(keys)


def gguf_model(path: Path, read_as: ReadAs = PLAIN) -> Model:
    """The model that the header of a file describes, its tensors named as they are there.

    Raises:
        SpecError: no such file, or a part whose other parts are not beside it; an architecture, a
            key or a value that is not understood; keys and tensors that contradict each other.
    """
    return model_of(read_model(path), stem_of(path.name), read_as)


def model_of(file: Gguf, name: str, read_as: ReadAs = PLAIN) -> Model:
    """The same of a header that was read, as :func:`gguf_model`."""
    keys, data = _configured(file, read_as.ignored)

    def read(task: str | None) -> Model:
        found = read_config(file.where, data, name, ReadAs(task, read_as.mtp))
        said = replace(found, left_out=(*found.left_out, *keys.left_out))
        return named_as(with_biases(said, file), file)

    model = read(read_as.task)
    refuse_contradiction(model if read_as.task is None else read(None), file)
    return model


def _module(file: Gguf) -> ModuleType:
    kind, known = file.keys.get("general.architecture"), known_architectures()
    if not isinstance(kind, str) or kind not in known:
        near = nearest(str(kind)[:60], known)
        hint = f"did you mean {' or '.join(near)}? " if near else ""
        raise SpecError(file.where, "general.architecture", f"{str(kind)[:60]!r} is not an "
                        f"architecture that is understood; {hint}those are "
                        f"{', '.join(sorted(known))}")
    return known[kind]


def named_as(model: Model, file: Gguf) -> Model:
    """The model with its tensors named and joined as a file's architecture has them."""
    module, kind = _module(file), file.keys["general.architecture"]
    joined = joins(file, getattr(module, "JOINED", {}).get(kind, {}))
    own = getattr(module, "NAMES", {}).get(kind, {})
    return replace(model, layout=Layout(f"gguf ({kind})", tuple(entries_of(joined, own))))
