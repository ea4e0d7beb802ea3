"""InternViT: ViT's encoder with gains on what each part adds, and norms of queries and keys if it
is the large one.

Source: Chen et al. 2023, arXiv:2312.14238, section 3.2; transformers, models/internvl.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.pictures import encoder_block, picture_encoder, sides
from symparam.descriptions.config import Config
from symparam.layout import entries
from symparam.model import Model

MODEL_TYPES = ("internvl_vision",)
CLASSES = {"InternVLVisionModel": "base"}
DIMS = {"d_model": ("hidden_size", 1024), "d_ff": ("intermediate_size", 4096),
        "L": ("num_hidden_layers", 24), "n_heads": ("num_attention_heads", 16),
        "n_channels": ("num_channels", 3)}
SIDES = {"d_image": ("image_size", 448), "d_patch": ("patch_size", 14)}
NORMS = {"layer_norm": "layernorm", "rms_norm": "rmsnorm"}
HARMLESS = frozenset({"layer_scale_init_value", "projection_dropout", "drop_path_rate"})
NAMES = (*entries("*.attention", O="projection_layer"), *entries("*.ffn", up="fc1", down="fc2"))


def build(config: Config, name: str) -> Model:
    """The encoder from its configuration."""
    config.task(CLASSES, "base")
    values = config.dims(DIMS) | sides(config, SIDES)
    kind = config.text("norm_type", "layer_norm")
    if kind not in NORMS:
        raise config.error("norm_type", f"expected one of {', '.join(NORMS)}, found {kind!r}")
    normed = (slot("qk_norm", "width", "attention.", kind="qk-norm"),) if (
        config.flag("use_qk_norm", False)) else ()
    scales = tuple(slot(f"scale.{place}", "layer-scale", f"lambda_{i}", kind="scale")
                   for i, place in enumerate(("attention", "ffn"), 1))
    block = encoder_block(qkv=config.flag("attention_bias", False), norm=NORMS[kind],
                          norms=("layernorm_before.", "layernorm_after."),
                          attention="attention.", more=(*normed, *scales))
    mask = (slot("mask", "vector", "mask_token", kind="vector", axes=2),) if (
        config.flag("use_mask_token", False)) else ()
    positions = (slot("positions", "picture", "position_embeddings", more=1, axes=1),) if (
        config.flag("use_absolute_position_embeddings", True)) else ()
    last = () if config.flag("use_mean_pooling", True) else (
        slot("norm", "layernorm", "layernorm."),)
    config.close(HARMLESS)
    return picture_encoder(
        config, name, values, block, "encoder.layer.*.",
        before=(slot("vector", "vector", "cls_token", axes=2), *mask,
                slot("patches", "patches", "patch_embeddings.projection.", bias=True), *positions),
        after=last, names=NAMES)
