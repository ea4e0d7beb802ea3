"""The family of a model type: modules of :mod:`symparam.descriptions.families`, and plugins."""

from __future__ import annotations

import importlib
import importlib.util
import re
from functools import cache
from pathlib import Path
from types import ModuleType

from symparam import plugins
from symparam.descriptions import families
from symparam.errors import ContractError, SpecError, nearest, remarks


@cache
def _files() -> frozenset[str]:
    """The names of the files of families."""
    return plugins.modules_in(families.__path__)


@cache
def _all_families() -> dict[str, ModuleType]:
    modules = [importlib.import_module(f"{families.__name__}.{name}") for name in sorted(_files())]
    found = {model_type: module for module in modules for model_type in module.MODEL_TYPES}

    def take(module: ModuleType) -> None:
        types = getattr(module, "MODEL_TYPES", None)
        if types is None or isinstance(types, str) or not callable(getattr(module, "build", None)):
            raise ContractError(getattr(module, "__name__", str(module)), "a family has "
                                "MODEL_TYPES, a tuple of texts, and build(config, name)", "family")
        for model_type in types:
            if model_type in found:
                raise ContractError(module.__name__, f"{model_type} is read by "
                                    f"{found[model_type].__name__}", "family")
        found.update(dict.fromkeys(types, module))

    plugins.load("symparam.families", take)
    return found


def known_model_types() -> frozenset[str]:
    """Every ``model_type`` that is understood."""
    return frozenset(_all_families())


def to_trace(where: str) -> str:
    """What finds a model that is not understood: what to type, or to install before."""
    from importlib.util import find_spec

    if not all(find_spec(name) for name in ("torch", "transformers")):
        return "with pip install 'symparam[torch]', --trace finds its tensors"
    if not Path(where).is_file():
        return "--trace finds its tensors"
    import shlex

    return ("--trace finds its tensors, and 'symparam trace "
            f"{shlex.quote(where)} -o FILE.toml' keeps them")


def family(model_type: str, where: str) -> ModuleType:
    """The module that reads a model type; the file of its name is looked at first.

    Raises:
        SpecError: no family is known for it.
    """
    files = _files()
    words = re.findall("[a-z]+|[0-9]+|_+", model_type.lower().replace("-", "_")[:60])
    for end in range(len(words), 0, -1):  # qwen3_moe: qwen3_moe, then qwen3_, qwen3, qwen
        if (file := "".join(words[:end])) in files:
            module = importlib.import_module(f"{families.__name__}.{file}")
            if model_type in module.MODEL_TYPES:
                return module
    known = _all_families()
    if model_type not in known:
        near = nearest(model_type[:60], known)
        hint = f"did you mean {' or '.join(near)}? " if near else ""
        raise SpecError(where, "model_type", f"{model_type[:60]!r} is not a family that is "
                        f"understood; {hint}{len(known)} are, see docs/families.md; "
                        f"{to_trace(where)}"
                        + remarks("symparam.families", "symparam.components"))
    return known[model_type]
