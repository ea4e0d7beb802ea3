"""The tensors of a module: one that is given, or transformers' own for a configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symparam.checkpoints.header import Shape
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


#: The classes of transformers that choose a model's class by what it is for, by what a
#: configuration is counted as. A composite's is found among those for images and sounds.
AUTOMATIC = {
    "base": ("AutoModel",), "encoder": ("AutoModelForTextEncoding",),
    "mlm": ("AutoModelForMaskedLM",),
    "seq2seq": ("AutoModelForSeq2SeqLM", "AutoModelForSpeechSeq2Seq"),
    "causal": ("AutoModelForImageTextToText", "AutoModelForMultimodalLM", "AutoModelForCausalLM",
               "AutoModelForSeq2SeqLM"),
    "discriminator": ("AutoModelForPreTraining",),
    "classifier": ("AutoModelForImageClassification",), "ctc": ("AutoModelForCTC",),
}


def build_module(config: Mapping[str, Any], where: str, task: str, asked: bool = False) -> Any:
    """The module that transformers builds for a configuration, on ``meta``: no weights.

    Args:
        config: what the configuration holds.
        where: its file, for messages.
        task: what it is counted as.
        asked: whether that was asked for: the class in ``architectures`` is then not followed.

    Raises:
        BadValue: transformers is not installed.
        SpecError: transformers does not know the model, or cannot build it.
    """
    try:
        import torch
        import transformers
        from transformers.models.auto.configuration_auto import CONFIG_MAPPING
    except ImportError as error:
        raise BadValue("AGAINST", "transformers", f"{error.name} is not installed: pip install "
                       "'symparam[torch]'") from None
    names = config.get("architectures") or []
    try:
        made = CONFIG_MAPPING[config["model_type"]].from_dict(dict(config))
        with torch.device("meta"):
            if names and not asked:
                module = getattr(transformers, names[0])(made)
            else:
                module = _of_task(transformers, made, where, task)
        module.tie_weights()
    except SpecError:
        raise
    except Exception as error:  # whatever the library raises is its answer
        raise SpecError(where, "", "transformers cannot build it: "
                        f"{type(error).__name__}: {' '.join(str(error).split())[:200]}") from None
    return module


def _of_task(transformers: Any, made: Any, where: str, task: str) -> Any:
    """The module of the first automatic class that knows the configuration."""
    for name in AUTOMATIC.get(task, ()):
        automatic = getattr(transformers, name, None)
        try:
            if automatic is not None:
                return automatic.from_config(made)
        except ValueError as error:
            if "Unrecognized configuration class" not in str(error):
                raise
    raise SpecError(where, "model_type", f"transformers has no class for {made.model_type} counted "
                    f"as {task}: name one in architectures")
