"""The tensors of a module: one that is given, or transformers' own for a configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symparam.check.header import Shape
from symparam.errors import BadValue, SpecError


def module_tensors(module: Any) -> dict[str, Shape]:
    """Name and shape of a module's parameters, shared ones once, and of its persistent buffers.

    Nothing of torch is imported: it is enough that the object has ``named_parameters()``.

    Raises:
        BadValue: it has no such method and is no mapping from name to shape.
    """
    if isinstance(module, Mapping):
        return {str(name): tuple(map(int, shape)) for name, shape in module.items()}
    if not callable(getattr(module, "named_parameters", None)):
        raise BadValue("module", type(module).__name__, "has no named_parameters()")
    found = {name: tuple(map(int, value.shape)) for name, value in module.named_parameters()}
    repeated = {name for name, _ in module.named_parameters(remove_duplicate=False)} - set(found)
    for name, value in module.state_dict().items():
        if name not in found and name not in repeated:
            found[name] = tuple(map(int, value.shape))
    return found


def build_module(config: Mapping[str, Any], where: str, headed: bool = True) -> Any:
    """The module that transformers builds for a configuration, on ``meta``: no weights.

    Args:
        config: what the configuration holds.
        where: its file, for messages.
        headed: whether it is a language model, where the configuration names no class.

    Raises:
        SpecError: transformers is not installed, does not know the model, or cannot build it.
    """
    try:
        import torch
        import transformers
        from transformers.models.auto.configuration_auto import CONFIG_MAPPING
    except ImportError as error:
        raise SpecError(where, "", f"{error.name} is not installed: pip install "
                        "'symparam[transformers]'") from None
    try:
        made = CONFIG_MAPPING[config["model_type"]].from_dict(dict(config))
        names = config.get("architectures") or []
        cls = getattr(transformers, names[0]) if names else None
        with torch.device("meta"):
            auto = transformers.AutoModelForCausalLM if headed else transformers.AutoModel
            module = cls(made) if cls else auto.from_config(made)
        module.tie_weights()
    except Exception as error:  # whatever the library raises is its answer
        raise SpecError(where, "", "transformers cannot build it: "
                        f"{type(error).__name__}: {' '.join(str(error).split())[:200]}") from None
    return module
