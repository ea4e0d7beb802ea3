"""Stands in for transformers: configurations that are dataclasses, models, and a few types."""

from __future__ import annotations

import dataclasses
from typing import Any

import torch

from transformers import initialization, utils
from transformers.utils import logging


class PreTrainedConfig:
    """A class of configurations makes its own dataclass; what is no field is kept all the same."""

    model_type = ""
    attribute_map: Any = {}
    sub_configs: Any = {}

    def __init_subclass__(cls) -> None:
        dataclasses.dataclass(init=False, repr=False, eq=False)(cls)

    def __init__(self, **given: Any) -> None:
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            setattr(self, field.name, given.pop(field.name, field.default))
        self.__post_init__(**given)

    def __post_init__(self, **given: Any) -> None:
        for name, value in given.items():
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(self.attribute_map.get(name, name), value)

    def __getattribute__(self, name: str) -> Any:
        stored = super().__getattribute__("attribute_map")
        return super().__getattribute__(stored.get(name, name))

    def to_dict(self) -> dict[str, Any]:
        """All that it holds."""
        return {**{name: value.to_dict() if isinstance(value, PreTrainedConfig) else value
                   for name, value in vars(self).items()},
                "model_type": self.model_type, "transformers_version": "5"}

    def to_diff_dict(self) -> dict[str, Any]:
        """What it holds that its class does not by itself."""
        plain = type(self)().to_dict()
        return {name: value for name, value in self.to_dict().items()
                if name in ("model_type", "transformers_version") or value != plain.get(name)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> PreTrainedConfig:
        """What a file says."""
        return cls(**data)


class PreTrainedModel(torch.nn.Module):  # type: ignore[misc, name-defined]
    """A model knows its configuration and, of its class, of which class that is."""

    config_class: Any = None

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.config = config
        if not initialization.without:
            initialization.drawn.append(type(self).__name__)

    def tie_weights(self) -> None:
        """Let a head share the table of tokens."""
        if getattr(self.config, "tie_word_embeddings", False):
            self.get_output_embeddings().weight = self.get_input_embeddings().weight

    def get_input_embeddings(self) -> Any:
        """The table of tokens."""
        return self.embed

    def get_output_embeddings(self) -> Any:
        """The head."""
        return self.lm_head


from transformers.models.ours.modeling_ours import *  # noqa: E402, F403

__all__ = ["PreTrainedConfig", "PreTrainedModel", "logging", "utils"]
