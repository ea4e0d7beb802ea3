"""CLIP's encoder of pictures: patches without a bias, a class token, a norm before the layers.

Source: Radford et al. 2021, arXiv:2103.00020, section 2.4; transformers, models/clip.
"""

from __future__ import annotations

from collections.abc import Mapping

from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.pictures import (
    CLIP_NAMES,
    encoder_block,
    picture_encoder,
    sides,
)
from symparam.descriptions.config import Config
from symparam.model import Model

MODEL_TYPES = ("clip_vision_model",)
CLASSES = {"CLIPVisionModel": "base"}
DIMS = {"d_model": ("hidden_size", 768), "d_ff": ("intermediate_size", 3072),
        "L": ("num_hidden_layers", 12), "n_heads": ("num_attention_heads", 12),
        "n_channels": ("num_channels", 3)}
SIDES = {"d_image": ("image_size", 224), "d_patch": ("patch_size", 32)}
#: LLaVA's files keep a vocabulary there, and all have what its other half projects to.
HARMLESS = frozenset({"projection_dim", "vocab_size"})


def build(config: Config, name: str) -> Model:
    """The encoder from its configuration."""
    config.task(CLASSES, "base")
    return encoder(config, name, SIDES)


def encoder(config: Config, name: str, own: Mapping[str, tuple[str, int]]) -> Model:
    """The encoder of a configuration in which sides stand under keys, with defaults, of its own."""
    values = config.dims(DIMS) | sides(config, own)
    config.close(HARMLESS)
    before = (slot("vector", "vector", "class_embedding"),
              slot("patches", "patches", "patch_embedding."),
              slot("positions", "picture", None, more=1))
    return picture_encoder(
        config, name, values, encoder_block(), "encoder.layers.*.", before=before,
        norm_before=(slot("norm", "layernorm", "pre_layrnorm."),),
        after=(slot("norm", "layernorm", "post_layernorm."),), names=CLIP_NAMES)
