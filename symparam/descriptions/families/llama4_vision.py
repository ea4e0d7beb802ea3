"""Llama 4's encoder of pictures: patches by a matrix, CLIP's class token, an adapter at the end.

Source: Meta 2025, meta-llama/llama-models, models/llama4/vision; transformers, models/llama4.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.pictures import (
    D_ADAPTER,
    D_OUT,
    encoder_block,
    linear,
    picture_encoder,
    sides,
)
from symparam.descriptions.config import Config
from symparam.dims import Dim
from symparam.layout import entries
from symparam.model import Model
from symparam.stack import Stack

MODEL_TYPES = ("llama4_vision_model",)
CLASSES = {"Llama4VisionModel": "base"}
DIMS = {"d_model": ("hidden_size", 768), "d_ff": ("intermediate_size", 5632),
        "L": ("num_hidden_layers", 34), "n_heads": ("num_attention_heads", 16),
        "n_channels": ("num_channels", 3), "d_inner": ("projector_input_dim", 4096),
        "d_adapter": ("projector_output_dim", 4096), "d_out": ("vision_output_dim", 7680)}
SIDES = {"d_image": ("image_size", 448), "d_patch": ("patch_size", 14)}
D_INNER = Dim("d_inner", r"d_{\text{inner}}", "width inside the adapter")
HARMLESS = frozenset("""
    multi_modal_projector_bias pixel_shuffle_ratio projector_dropout vision_feature_layer
    vision_feature_select_strategy
""".split())


def build(config: Config, name: str) -> Model:
    """The encoder from its configuration."""
    config.task(CLASSES, "base")
    values = config.dims(DIMS) | sides(config, SIDES)
    config.close(HARMLESS)
    before = (slot("vector", "vector", "class_embedding"),
              slot("patches", "patches", "patch_embedding.linear.", flat=True),
              slot("positions", "picture", "positional_embedding_vlm", more=1))
    block = encoder_block(norms=("input_layernorm.", "post_attention_layernorm."))
    adapter = Stack("adapter", (linear("up", "fc1.", "d_ff", "d_inner"),
                                linear("down", "fc2.", "d_adapter", "d_adapter")),
                    prefix="vision_adapter.mlp.")
    return picture_encoder(
        config, name, values, block, "model.layers.*.", embeddings="", before=before,
        norm_before=(slot("norm", "layernorm", "layernorm_pre."),),
        after=(slot("norm", "layernorm", "layernorm_post."),), further=(adapter,),
        names=entries("*.ffn", up="fc1", down="fc2"), declared=(D_INNER, D_ADAPTER, D_OUT))
