"""A configuration's tensors as transformers builds them, and as symparam lists them.

Models that transformers does not have are built of lists by hand (``tests/oracle/published_code``).
"""

from __future__ import annotations

import importlib
import math
import re
from collections import Counter
from typing import Any

from symparam.checkpoints.expected import expected
from symparam.descriptions.assembling.wholes import WHOLES
from symparam.descriptions.config import read_config
from symparam.descriptions.families import composites
from symparam.quantities import counts
from tests.differential import timm_tower
from tests.helpers import Rows, ledger
from tests.oracle import published_code

Shapes = dict[str, tuple[int, ...]]

_NUMBER = re.compile(r"(?<![^.])(expert_)?\d+(?![^.])")
#: What the names of a language model begin with inside a composite's.
TEXT = ("model.language_model.", "language_model.", "lm_head.", "model.text_model.", "text_model.")


def built(config: dict[str, Any]) -> tuple[Rows, Rows, int]:
    """What transformers builds: parameters, persistent buffers, how many can be trained.

    Of a composite whose tower is not known it is the language model's.

    Raises:
        Exception: whatever transformers raises for a configuration that it cannot build.
    """
    parameters, persistent, trained = whole(config)
    return _rows(parameters), _rows(persistent), trained


def whole(config: dict[str, Any]) -> tuple[Shapes, Shapes, int]:
    """The same with every tensor under its whole name, the numbers of layers in it."""
    if config["model_type"] in published_code.LISTED:
        listed = published_code.LISTED[config["model_type"]](config)
        return listed, published_code.buffers(config, listed), sum(map(math.prod, listed.values()))
    import torch
    import transformers
    import transformers.utils.logging
    from transformers.initialization import no_init_weights
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    transformers.utils.logging.set_verbosity_error()
    timm_tower.stand_in()
    made = CONFIG_MAPPING[config["model_type"]].from_dict(dict(config))
    cls = _class(made, config["architectures"][0])
    with no_init_weights(), torch.device("meta"):
        module = cls(made)
    module.tie_weights()
    begins = TEXT if of_text(config) else ("",)
    parameters_of = {name: value for name, value in module.named_parameters()
                     if name.startswith(begins)}
    persistent = {name: tuple(value.shape)
                  for name, value in module.state_dict(keep_vars=True).items()
                  if not isinstance(value, torch.nn.Parameter) and name.startswith(begins)}
    trained = sum(p.numel() for p in parameters_of.values() if p.requires_grad)
    return {name: tuple(p.shape) for name, p in parameters_of.items()}, persistent, trained


def _class(config: Any, name: str) -> Any:
    """A class of transformers, at its top or beside the one of a configuration."""
    import transformers

    beside = type(config).__module__.replace(".configuration_", ".modeling_")
    return getattr(transformers, name, None) or getattr(importlib.import_module(beside), name)


def of_text(config: dict[str, Any]) -> bool:
    """Whether of a configuration the language model alone is counted: its tower is not known."""
    return (config["model_type"] in set(composites.MODEL_TYPES) - set(WHOLES)
            and config["architectures"][0] not in composites.TEXT_CLASSES.values())


def _rows(tensors: Shapes) -> Rows:
    return dict(Counter((_NUMBER.sub(r"\1*", name), shape) for name, shape in tensors.items()))


def listed(config: dict[str, Any]) -> tuple[Rows, Rows, int]:
    """What symparam lists for the same configuration, in the same three parts."""
    model = read_config("drawn", config, "drawn")
    made = ledger(model)
    everything = {(t.name, t.shape): t.copies
                  for t in model.layout.tensors(made, buffers=True)}
    rows = {(t.name, t.shape): t.copies for t in model.layout.tensors(made)}
    buffers = {key: copies for key, copies in everything.items() if key not in rows}
    return rows, buffers, counts.value(made, "trainable")


def listed_whole(config: dict[str, Any]) -> tuple[Shapes, Shapes, int]:
    """The same with every tensor under its whole name."""
    model = read_config("drawn", config, "drawn")
    own = expected(model)[0]
    buffers = {name: own.tensors[name] for name in own.optional}
    rows = {name: shape for name, shape in own.tensors.items() if name not in buffers}
    return rows, buffers, counts.value(ledger(model), "trainable")


def difference(ours: Rows, theirs: Rows) -> list[str]:
    """What one has and the other has not, a line each."""
    lines = [f"only in symparam: {name} {list(shape)} × {n}"
             for (name, shape), n in ours.items() if theirs.get((name, shape)) != n]
    return lines + [f"only in transformers: {name} {list(shape)} × {n}"
                    for (name, shape), n in theirs.items() if ours.get((name, shape)) != n]
