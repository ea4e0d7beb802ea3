"""Targets whose configuration names code beside it (``auto_map``): run where somebody trusts it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path as File
from typing import Any

from symparam.descriptions.reading.source import read_file
from symparam.errors import BadValue, SymparamError
from symparam.tracing.recording.terms import Path
from symparam.tracing.searching.probing import TraceError
from symparam.tracing.sources.target import Target, leaves, nested

#: Classes in the order in which a model's whole is looked for.
_FIRST = ("AutoModelForCausalLM", "AutoModelForSeq2SeqLM", "AutoModelForMaskedLM", "AutoModel")
#: What says how a configuration was saved, or names tokens.
_APART = ("architectures", "auto_map", "model_type", "transformers_version", "torch_dtype", "dtype")


def code_named(text: str) -> dict[str, Any] | None:
    """The configuration at a path, where it names code of its own; None elsewhere.

    >>> code_named("transformers:qwen3")
    """
    path = File(text)
    path = path / "config.json" if path.is_dir() else path
    if not text.endswith(".json") and path == File(text):
        return None
    try:
        data = read_file(path)
    except SymparamError:
        return None  # the reading of targets says what is wrong
    return data if isinstance(data, dict) and "auto_map" in data else None


def from_code(text: str, data: Mapping[str, Any], settings: Mapping[str, Any]) -> Target:
    """The target that a configuration describes with code beside it. It runs that code.

    Args:
        text: the path of the configuration, or of its folder.
        data: what it holds.
        settings: values for its keys.

    Raises:
        BadValue: it names no class for a configuration or a model, or code that is elsewhere.
        TraceError: the code cannot be loaded.
    """
    folder = File(text) if File(text).is_dir() else File(text).parent
    named = data["auto_map"]
    model = next((n for n in (*_FIRST, *named) if n in named and n != "AutoConfig"), None)
    if "AutoConfig" not in named or model is None:
        raise BadValue("TARGET", text, "auto_map names no AutoConfig, or no model")
    config_class, model_class = (_loaded(named[name], folder, text)
                                 for name in ("AutoConfig", model))
    given = {name: value for name, value in data.items() if name not in _APART} | dict(settings)
    numbers: dict[Path, Any] = {}
    switches: dict[Path, Any] = {}
    for name, value in given.items():
        own, other = leaves((name,), value)
        if not name.endswith("token_id"):
            numbers |= own
        switches |= {p: v for p, v in other.items() if isinstance(v, (bool, str))}

    def build(values: Mapping[Path, Any]) -> Any:
        from transformers.initialization import no_init_weights

        with no_init_weights():
            module = model_class(config_class(**{**given, **nested(values)}))
        module.tie_weights()
        return module

    modules = tuple(dict.fromkeys(sys.modules[c.__module__] for c in (config_class, model_class)))
    return Target(text, str(data.get("model_type") or folder.name), build, numbers, switches,
                  modules, packages=("torch", "transformers"),
                  notes=(f"the class is {model_class.__name__}, of code beside the configuration",))


def _loaded(reference: Any, folder: File, text: str) -> Any:
    """A class of the folder's own code."""
    if not isinstance(reference, str) or "--" in reference:
        raise BadValue("TARGET", text, f"auto_map names {reference!r}, which is not beside it; "
                       "nothing is fetched")
    try:
        from transformers.dynamic_module_utils import get_class_from_dynamic_module

        return get_class_from_dynamic_module(reference, str(folder), local_files_only=True)
    except Exception as error:  # somebody else's code
        raise TraceError(text, f"{reference} cannot be loaded: {type(error).__name__}: "
                         f"{' '.join(str(error).split())[:160]}") from None
