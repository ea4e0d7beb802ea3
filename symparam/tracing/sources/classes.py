"""Classes of transformers: which one builds the whole of a model of a type."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from symparam.tracing.searching.probing import TraceError

#: Tasks in the order in which a model's whole is looked for.
TEXT_FIRST = ("SEQ_TO_SEQ_CAUSAL_LM", "SPEECH_SEQ_2_SEQ", "CAUSAL_LM")
MANY_FIRST = ("IMAGE_TEXT_TO_TEXT", "MULTIMODAL_LM")


def line_of(error: Exception) -> str:
    """An error in a line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:160]}"


def class_of(model_type: str, cls: Any, config: Any, data: Mapping[str, Any], text: str) -> Any:
    """The class that builds the whole of a model.

    Raises:
        TraceError: there is none, or none that builds it.
    """
    import torch
    import transformers
    from transformers.initialization import no_init_weights

    named = data.get("architectures") or []
    classes = [getattr(transformers, n) for n in named[:1] if hasattr(transformers, n)]
    problems: list[str] = []
    for candidate in classes or _candidates(model_type, cls, config):
        try:
            with torch.device("meta"), no_init_weights():
                candidate(config)
            return candidate
        except Exception as error:  # whatever a constructor raises
            problems.append(f"{candidate.__name__} does not build: {line_of(error)}")
    raise TraceError(text, problems[0] if problems else "transformers has no class for it")


def _candidates(model_type: str, cls: Any, config: Any) -> list[Any]:
    """Classes for a model type, one with all its parts first."""
    import transformers
    from transformers.models.auto import modeling_auto

    composite = any(isinstance(v, transformers.PreTrainedConfig) for v in vars(config).values())
    first = MANY_FIRST + TEXT_FIRST if composite else TEXT_FIRST + MANY_FIRST
    order = [f"MODEL_FOR_{task}_MAPPING_NAMES" for task in first] + ["MODEL_MAPPING_NAMES"]
    order += [m for m in dir(modeling_auto) if m.endswith("MAPPING_NAMES") and m not in order
              and m != "CONFIG_MAPPING_NAMES"]
    names: list[str] = []
    for mapping in order:
        each = getattr(modeling_auto, mapping, {}).get(model_type, ())
        names += [each] if isinstance(each, str) else list(each)
    found = [getattr(transformers, n) for n in dict.fromkeys(names) if hasattr(transformers, n)]
    return found[:4] or _of_module(cls)


def _of_module(cls: Any) -> list[Any]:
    """Classes beside a configuration's that are made of it."""
    import transformers

    try:
        module = importlib.import_module(cls.__module__.replace(".configuration_", ".modeling_"))
    except ImportError:
        return []
    classes = [c for c in vars(module).values() if inspect.isclass(c)
               and issubclass(c, transformers.PreTrainedModel)]
    return [c for c in classes if getattr(c, "config_class", None) is cls
            and not c.__name__.endswith("PreTrainedModel")][:2]


def modules_of(cls: Any, built: Any) -> tuple[ModuleType, ...]:
    """The modules in which models of transformers are written, as far as they are loaded."""
    names = {cls.__module__, built.__module__}
    names |= {n for n in list(sys.modules) if n.startswith("transformers.models.")
              and (".modeling_" in n or ".configuration_" in n)}
    return tuple(sys.modules[n] for n in sorted(names) if n in sys.modules)
