"""Pixtral's encoder of pictures: patches without a bias, Llama's layers, positions that are turned.

Source: Agrawal et al. 2024, arXiv:2410.07073, section 2.2; transformers, models/pixtral.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.pictures import encoder_block, picture_encoder, sides
from symparam.descriptions.config import Config
from symparam.model import Model

MODEL_TYPES = ("pixtral",)
CLASSES = {"PixtralVisionModel": "base"}
DIMS = {"d_model": ("hidden_size", 1024), "d_ff": ("intermediate_size", 4096),
        "L": ("num_hidden_layers", 24), "n_heads": ("num_attention_heads", 16),
        "n_channels": ("num_channels", 3)}
#: The width of a head is worked out, and a picture may have any size.
HARMLESS = frozenset({"head_dim", "image_size", "vocab_size", "projection_dim"})


def build(config: Config, name: str) -> Model:
    """The encoder from its configuration."""
    config.task(CLASSES, "base")
    values = config.dims(DIMS) | sides(config, {"d_patch": ("patch_size", 16)})
    config.close(HARMLESS)
    block = encoder_block(bias=False, norm="rmsnorm", ffn="swiglu", ffn_bias=False,
                          norms=("attention_norm.", "ffn_norm."), attention="attention.",
                          mlp="feed_forward.")
    return picture_encoder(
        config, name, values, block, "transformer.layers.*.", embeddings="",
        before=(slot("patches", "patches", "patch_conv."),),
        norm_before=(slot("norm", "rmsnorm", "ln_pre."),))
