"""Configurations of a few types."""

from __future__ import annotations

from typing import Any

from transformers import PreTrainedConfig


class DecoderConfig(PreTrainedConfig):
    """Two of its keys follow others where they are not given: a number, and a kind for each layer.

    A third, ``head_dim``, is read by code and is no field.
    """

    model_type = "decoder"
    vocab_size: int = 512
    hidden_size: int = 96
    num_hidden_layers: int = 4
    num_attention_heads: int = 6
    num_key_value_heads: int | None = None
    intermediate_size: int = 160
    layer_types: list[str] | None = None
    gate_types: list[str] | None = None
    scaled: bool | None = None
    hidden_act: str = "silu"
    tie_word_embeddings: bool = True
    dropout: float = 0.5
    eos_token_id: int | None = 500
    bos_token_id: int | None = 1

    def __post_init__(self, **given: Any) -> None:
        if self.hidden_act == "none":
            raise ValueError("hidden_act is to be\na function")
        if self.num_key_value_heads is None:
            self.num_key_value_heads = self.num_attention_heads // 2
        if self.layer_types is None:
            self.layer_types = ["wide" if i % 2 else "narrow"
                                for i in range(self.num_hidden_layers)]
        if self.scaled is None:
            self.scaled = True
        super().__post_init__(**given)


class TowerConfig(PreTrainedConfig):
    """What sees pictures."""

    model_type = "tower"
    hidden_size: int = 40
    depths: tuple[int, ...] = (2, 3)
    backbone: str = "plain"
    rank: int = 5


class PairConfig(PreTrainedConfig):
    """Two configurations inside, one of which is not what its class makes by itself."""

    model_type = "pair"
    sub_configs = {"text_config": DecoderConfig, "vision_config": TowerConfig}
    text_config: Any = None
    vision_config: Any = None
    projector_dim: int = 56

    def __post_init__(self, **given: Any) -> None:
        if self.text_config is None:
            self.text_config = DecoderConfig(hidden_size=48, eos_token_id=None)
        if self.vision_config is None:
            self.vision_config = TowerConfig(backbone="deep")
        if isinstance(self.text_config, dict):
            self.text_config = DecoderConfig(**self.text_config)
        if isinstance(self.vision_config, dict):
            self.vision_config = {"tower": TowerConfig}[self.vision_config["model_type"]](
                **self.vision_config)
        super().__post_init__(**given)


class RenamedConfig(PreTrainedConfig):
    """A field that is known by another name, and one that is stored under another."""

    model_type = "renamed"
    attribute_map = {"hidden_size": "n_embd", "num_local_experts": "num_experts"}
    n_embd: int = 24
    n_layer: int = 3
    num_local_experts: int = 7

    @property
    def shown(self) -> int:
        """What is worked out."""
        return self.n_layer


class ShownConfig(PreTrainedConfig):
    """It shows another number than it takes."""

    model_type = "shown"
    hidden_size: int = 96
    rope_dim: int = 14
    head_dim: int = 40
    linear_dim: int | None = None

    def __post_init__(self, **given: Any) -> None:
        self.linear_dim = self.head_dim
        self.head_dim = self.rope_dim
        super().__post_init__(**given)


class StrangeConfig(PreTrainedConfig):
    """What is made where no width of a head is given, no width of a head makes."""

    model_type = "strange"
    hidden_size: int = 96
    head_dim: int | None = None
    rank: int = 8
    shift: bool = False

    def __post_init__(self, **given: Any) -> None:
        self.inner = self.head_dim or 64
        self.head_dim = 40
        self.rank += self.shift
        super().__post_init__(**given)


class BesideConfig(PreTrainedConfig):
    """Of a type of which only the module beside it has a class."""

    model_type = "beside"
    hidden_size: int = 24


class LonelyConfig(PreTrainedConfig):
    """Of a type that has no class."""

    model_type = "lonely"
    hidden_size: int = 24


class BrokenConfig(PreTrainedConfig):
    """Of a type whose classes do not build."""

    model_type = "broken"
    hidden_size: int = 24
