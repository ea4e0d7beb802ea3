"""ViT and DINOv2: patches and a class token with learned positions, layers with a norm before each
part; DINOv2 has gains on what each part adds, a mask, and registers if it is of that kind.

Source: Dosovitskiy et al. 2020, arXiv:2010.11929; Oquab et al. 2023, arXiv:2304.07193; Darcet et
al. 2023, arXiv:2309.16588; transformers, models/vit, models/dinov2.
"""

from __future__ import annotations

from symparam import expression as ex
from symparam.constraints import Equation, Standing
from symparam.descriptions.assembling.assemble import Block, slot
from symparam.descriptions.assembling.classifiers import classified, labels_of
from symparam.descriptions.assembling.pictures import (
    encoder_block,
    picture_encoder,
    sides,
)
from symparam.descriptions.config import Config
from symparam.dims import Dim
from symparam.layout import entries
from symparam.model import Model

MODEL_TYPES = ("vit", "dinov2", "dinov2_with_registers")
#: What the class names of each begin with, and what the encoder is called behind a classifier.
STEMS = {"vit": ("ViT", "vit."), "dinov2": ("Dinov2", "dinov2."),
         "dinov2_with_registers": ("Dinov2WithRegisters", "dinov2_with_registers.")}
DIMS = {"d_model": ("hidden_size", 768), "L": ("num_hidden_layers", 12),
        "n_heads": ("num_attention_heads", 12), "n_channels": ("num_channels", 3)}
PATCH = {"vit": 16, "dinov2": 14, "dinov2_with_registers": 16}
#: What DINOv2's classifier is given.
D_BOTH = Dim("d_both", r"d_{\text{both}}", "width of the class token and the patches' mean")
HARMLESS = frozenset("""
    apply_layernorm drop_path_rate encoder_stride layerscale_value out_features out_indices
    pooler_act reshape_hidden_states stage_names
""".split())
NAMES = entries("*.ffn", up="fc1", down="fc2")
PATCHES = "patch_embeddings.projection."


def build(config: Config, name: str) -> Model:
    """The encoder from its configuration."""
    kind = config.model_type
    stem, top = STEMS[kind]
    task = config.task({f"{stem}Model": "base", f"{stem}ForImageClassification": "classifier"},
                       "base")
    labels = labels_of(config) if task == "classifier" else 0
    values = config.dims(DIMS) | sides(config, {"d_image": ("image_size", 224),
                                                "d_patch": ("patch_size", PATCH[kind])})
    model = _vit(config, name, values, task) if kind == "vit" else _dinov2(config, name, values)
    if not labels:
        return model
    if kind == "vit":
        return classified(model, top, labels)
    rule = Equation("d_both", ex.Sym("d_model") * 2, "the class token beside the patches' mean",
                    Standing.DEFINITION)
    return classified(model, top, labels, "d_both", equations=(rule,), declared=(D_BOTH,))


def _vit(config: Config, name: str, values: dict[str, int], task: str) -> Model:
    values |= config.dims({"d_ff": ("intermediate_size", 3072)})
    if config.raw("pooler_output_size", None) not in (None, values["d_model"]):
        raise config.error("pooler_output_size", "a pooler of another width than hidden_size is "
                           "not understood")
    qkv = config.flag("qkv_bias", True)
    config.close(HARMLESS)
    block = encoder_block(qkv=qkv, norms=("layernorm_before.", "layernorm_after."),
                          attention="attention.")
    pooler = (slot("pooler", "pooler", "pooler."),) if task == "base" else ()
    return picture_encoder(
        config, name, values, block, "layers.*.", before=_before(0, registers=False),
        after=(slot("norm", "layernorm", "layernorm."),), names=NAMES, head=pooler,
        part="encoder with pooler")


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
