"""SigLIP's and SigLIP 2's encoders of pictures; those of Idefics 3 and SmolVLM, without a head.

A head makes one vector of all patches: a learned question to which they are keys and values.

Source: Zhai et al. 2023, arXiv:2303.15343; Tschannen et al. 2025, arXiv:2502.14786;
transformers, models/siglip, models/siglip2, models/idefics3.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import Block, slot
from symparam.descriptions.assembling.pictures import (
    CLIP_NAMES,
    encoder_block,
    picture_encoder,
    sides,
)
from symparam.descriptions.config import Config
from symparam.layout import entries, entry
from symparam.model import Model

MODEL_TYPES = ("siglip_vision_model", "idefics3_vision", "smolvlm_vision", "siglip2_vision_model")
CLASSES = {"SiglipVisionModel": "base", "Siglip2VisionModel": "base",
           "Idefics3VisionTransformer": "base",
           "SmolVLMVisionTransformer": "base"}
DIMS = {"d_model": ("hidden_size", 768), "d_ff": ("intermediate_size", 3072),
        "L": ("num_hidden_layers", 12), "n_heads": ("num_attention_heads", 12),
        "n_channels": ("num_channels", 3)}
#: Where the defaults are others.
OWN = {"idefics3_vision": {"d_model": 1152, "n_heads": 16},
       "smolvlm_vision": {"d_model": 1152, "n_heads": 16}}
SIDES = {"siglip_vision_model": {"d_image": ("image_size", 224), "d_patch": ("patch_size", 16)},
         "idefics3_vision": {"d_image": ("image_size", 224), "d_patch": ("patch_size", 32)},
         "smolvlm_vision": {"d_image": ("image_size", 224), "d_patch": ("patch_size", 32)},
         "siglip2_vision_model": {"d_patch": ("patch_size", 16)}}
#: PaliGemma's and SmolVLM's files have keys of older code.
HARMLESS = frozenset({"projection_dim", "vocab_size", "projector_hidden_act", "size",
                      "max_image_size", "use_base_siglip", "num_image_tokens"})
HEAD_NAMES = (
    entry("pooler.attention", "W_Q W_K W_V", ".in_proj_weight"),
    entry("pooler.attention", "b_Q b_K b_V", ".in_proj_bias"),
    *entries("pooler.attention", O="out_proj"), *entries("pooler.ffn", up="fc1", down="fc2"))


def build(config: Config, name: str) -> Model:
    """The encoder from its configuration."""
    kind = config.model_type
    config.task(CLASSES, "base")
    own = OWN.get(kind, {})
    values = config.dims({dim: (key, own.get(dim, default)) for dim, (key, default) in DIMS.items()
                          }) | sides(config, SIDES[kind])
    any_sides = kind == "siglip2_vision_model"  # (a table for so many patches, of any picture)
    if any_sides:
        values |= config.dims({"n_ctx": ("num_patches", 256)})
    pooled = kind.startswith("siglip") and config.flag("vision_use_head", True)
    config.close(HARMLESS)
    table = slot("positions", "learned", "position_embedding.") if any_sides else (
        slot("positions", "picture", None))
    before = (slot("patches", "patches", "patch_embedding.", bias=True, flat=any_sides), table)
    return picture_encoder(
        config, name, values, encoder_block(), "encoder.layers.*.", before=before,
        after=(slot("norm", "layernorm", "post_layernorm."),), head=_head() if pooled else (),
        names=(*CLIP_NAMES, *(HEAD_NAMES if pooled else ())),
        part="encoder with pooler" if pooled else "encoder")


def _head() -> Block:
    """Attention of one learned vector to all patches, a norm and a network."""
    return (slot("vector", "vector", "head.probe", axes=2),
            slot("attention", "mha", "head.attention.", bias=True),
            slot("norm", "layernorm", "head.layernorm."),
            slot("ffn", "mlp", "head.mlp.", bias=True))
