"""Models of a few types."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from transformers import PreTrainedModel
from transformers.models.ours import configuration_ours as ours


class Layer(nn.Module):  # type: ignore[misc, name-defined]
    """Its heads are as wide as is said, else as many as are there have room."""

    def __init__(self, config: Any, kind: str) -> None:
        super().__init__()
        heads = config.num_attention_heads
        width = getattr(config, "head_dim", config.hidden_size // heads)
        getattr(config, "_private", None), getattr(config, "attention_kind", "all")
        self.q = nn.Linear(config.hidden_size, heads * width)
        self.k = nn.Linear(config.hidden_size, config.num_key_value_heads * width)
        if kind == "wide":
            self.up = nn.Linear(config.hidden_size, config.intermediate_size)


class DecoderModel(PreTrainedModel):
    """Without a head."""

    config_class = ours.DecoderConfig

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.embed = nn.Embedding(config.vocab_size, config.hidden_size, config.eos_token_id)
        self.layers = [Layer(config, config.layer_types[i])
                       for i in range(config.num_hidden_layers)]


class DecoderForCausalLM(DecoderModel):
    """With one."""

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size)


class DecoderForPictures(DecoderForCausalLM):
    """Comes first for no decoder: it is one of many."""


class TowerModel(PreTrainedModel):
    """What sees pictures; the name of a backbone says how."""

    config_class = ours.TowerConfig

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        rank = config.rank * (3 if config.backbone == "deep" else 1)
        self.stages = [nn.Linear(config.hidden_size, rank * depth) for depth in config.depths]


class PairModel(PreTrainedModel):
    """Both, without a head: taken where the whole does not build."""

    config_class = ours.PairConfig

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.vision, self.text = TowerModel(config.vision_config), DecoderForCausalLM(
            config.text_config)
        self.projector = nn.Linear(config.vision_config.hidden_size, config.projector_dim)

    def tie_weights(self) -> None:
        """The text's."""
        self.text.tie_weights()


class PairForPictures(PairModel):
    """The whole: it is not built."""

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        raise NotImplementedError("something is\nmissing")


class PairForCausalLM(PairModel):
    """The whole for text."""


class RenamedModel(PreTrainedModel):
    """Reads one by the field's name, the other by where it is stored."""

    config_class = ours.RenamedConfig

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.layers = [nn.Linear(config.hidden_size, config.num_experts)
                       for _ in range(config.n_layer)]


class ShownModel(PreTrainedModel):
    """Reads what is shown."""

    config_class = ours.ShownConfig

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.q = nn.Linear(config.hidden_size, config.linear_dim)
        self.k = nn.Linear(config.hidden_size, config.head_dim)


class StrangeModel(PreTrainedModel):
    """Reads what no number makes."""

    config_class = ours.StrangeConfig

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.q = nn.Linear(config.hidden_size, config.inner)
        self.k = nn.Linear(config.hidden_size, config.head_dim)


class BesidePreTrainedModel(PreTrainedModel):
    """What classes beside a configuration have in common: no model."""

    config_class = ours.BesideConfig


class BesideModel(BesidePreTrainedModel):
    """Found beside its configuration alone."""

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.scale = torch.nn.Parameter(config.hidden_size, 2)


class BrokenModel(PreTrainedModel):
    """Does not build."""

    config_class = ours.BrokenConfig

    def __init__(self, config: Any) -> None:
        raise TypeError("no\nsuch thing " + "x" * 200)


class BrokenOtherModel(BrokenModel):
    """Nor does this."""
