"""ViT and DINOv2: patches and a class token with learned positions, layers with a norm before each
part; DINOv2 has gains on what each part adds, a mask, and registers if it is of that kind.

Source: Dosovitskiy et al. 2020, arXiv:2010.11929; Oquab et al. 2023, arXiv:2304.07193; Darcet et
al. 2023, arXiv:2309.16588; transformers, models/vit, models/dinov2.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import Block, slot
from symparam.descriptions.assembling.pictures import (
    encoder_block,
    picture_encoder,
    sides,
)
from symparam.descriptions.config import Config
from symparam.layout import entries
from symparam.model import Model

MODEL_TYPES = ("vit", "dinov2", "dinov2_with_registers")
CLASSES = {"ViTModel": "base", "Dinov2Model": "base", "Dinov2WithRegistersModel": "base"}
DIMS = {"d_model": ("hidden_size", 768), "L": ("num_hidden_layers", 12),
        "n_heads": ("num_attention_heads", 12), "n_channels": ("num_channels", 3)}
PATCH = {"vit": 16, "dinov2": 14, "dinov2_with_registers": 16}
HARMLESS = frozenset("""
    apply_layernorm drop_path_rate encoder_stride layerscale_value out_features out_indices
    pooler_act reshape_hidden_states stage_names
""".split())
NAMES = entries("*.ffn", up="fc1", down="fc2")
PATCHES = "patch_embeddings.projection."


def build(config: Config, name: str) -> Model:
    """The encoder from its configuration."""
    kind = config.model_type
    config.task(CLASSES, "base")
    values = config.dims(DIMS) | sides(config, {"d_image": ("image_size", 224),
                                                "d_patch": ("patch_size", PATCH[kind])})
    make = _vit if kind == "vit" else _dinov2
    return make(config, name, values)


def _vit(config: Config, name: str, values: dict[str, int]) -> Model:
    values |= config.dims({"d_ff": ("intermediate_size", 3072)})
    if config.raw("pooler_output_size", None) not in (None, values["d_model"]):
        raise config.error("pooler_output_size", "a pooler of another width than hidden_size is "
                           "not understood")
    qkv = config.flag("qkv_bias", True)
    config.close(HARMLESS)
    block = encoder_block(qkv=qkv, norms=("layernorm_before.", "layernorm_after."),
                          attention="attention.")
    return picture_encoder(
        config, name, values, block, "layers.*.", before=_before(0, registers=False),
        after=(slot("norm", "layernorm", "layernorm."),), names=NAMES,
        head=(slot("pooler", "pooler", "pooler."),), part="encoder with pooler")


def _dinov2(config: Config, name: str, values: dict[str, int]) -> Model:
    ratio = config.count_of("mlp_ratio", default=4)
    gated = config.flag("use_swiglu_ffn", False)
    width = values["d_model"] * ratio
    values["d_ff"] = -(-(width * 2 // 3) // 8) * 8 if gated else width
    qkv = config.flag("qkv_bias", True)
    registers = config.model_type == "dinov2_with_registers"
    masks = 1
    if registers:
        values |= config.dims({"n_registers": ("num_register_tokens", 4)})
    else:
        masks = int(config.flag("use_mask_token", True))
    config.close(HARMLESS)
    scales = tuple(slot(f"scale.{place}", "layer-scale", f"layer_scale{i}.lambda1", kind="scale")
                   for i, place in enumerate(("attention", "ffn"), 1))
    block = encoder_block(qkv=qkv, norms=("norm1.", "norm2."), attention="attention.",
                          ffn="swiglu" if gated else "mlp", more=scales)
    return picture_encoder(
        config, name, values, block, "encoder.layer.*.", before=_before(masks, registers),
        after=(slot("norm", "layernorm", "layernorm."),), names=() if gated else NAMES)


def _before(masks: int, registers: bool) -> Block:
    """A class token, what stands for masked patches, registers, patches and their positions."""
    mask = (slot("mask", "vector", "mask_token", kind="vector", axes=1),) if masks else ()
    more = (slot("registers", "registers", "register_tokens", kind="vector"),) if registers else ()
    return (slot("vector", "vector", "cls_token", axes=2), *mask, *more,
            slot("patches", "patches", PATCHES, bias=True),
            slot("positions", "picture", "position_embeddings", more=1, axes=1))
