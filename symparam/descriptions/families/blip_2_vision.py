"""BLIP-2's encoder of pictures: EVA's, which is CLIP's with fused projections and no first norm.

Source: Li et al. 2023, arXiv:2301.12597, section 3.4; transformers, models/blip_2.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.pictures import encoder_block, picture_encoder, sides
from symparam.descriptions.config import Config
from symparam.layout import entries
from symparam.model import Model

MODEL_TYPES = ("blip_2_vision_model",)
CLASSES = {"Blip2VisionModel": "base"}
DIMS = {"d_model": ("hidden_size", 1408), "d_ff": ("intermediate_size", 6144),
        "L": ("num_hidden_layers", 39), "n_heads": ("num_attention_heads", 16)}
SIDES = {"d_image": ("image_size", 224), "d_patch": ("patch_size", 14)}
#: A picture has three channels, whatever a configuration says.
CHANNELS = 3
HARMLESS = frozenset({"num_channels", "projection_dim"})
NAMES = (*entries("*.attention", Q_K_V="qkv", O="projection"),
         *entries("*.ffn", up="fc1", down="fc2"))


def build(config: Config, name: str) -> Model:
    """The encoder from its configuration."""
    config.task(CLASSES, "base")
    values = config.dims(DIMS) | sides(config, SIDES) | {"n_channels": CHANNELS}
    qkv = config.flag("qkv_bias", True)
    config.close(HARMLESS)
    before = (slot("vector", "vector", "class_embedding", axes=2),
              slot("patches", "patches", "patch_embedding.", bias=True),
              slot("positions", "picture", "position_embedding", more=1, axes=1))
    return picture_encoder(
        config, name, values, encoder_block(qkv=qkv), "encoder.layers.*.", before=before,
        after=(slot("norm", "layernorm", "post_layernorm."),), names=NAMES)
