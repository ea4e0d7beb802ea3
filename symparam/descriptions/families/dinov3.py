"""DINOv3's ViT: positions that are turned, gains on what each part adds, perhaps registers.

Source: Siméoni et al. 2025, arXiv:2508.10104, section 3.2; transformers, models/dinov3_vit.
"""

from __future__ import annotations

from dataclasses import replace

from symparam.descriptions.assembling.assemble import Block, slot
from symparam.descriptions.assembling.pictures import picture_encoder, sides
from symparam.descriptions.config import Config
from symparam.model import Model

MODEL_TYPES = ("dinov3_vit",)
CLASSES = {"DINOv3ViTModel": "base"}
DIMS = {"d_model": ("hidden_size", 384), "d_ff": ("intermediate_size", 1536),
        "L": ("num_hidden_layers", 12), "n_heads": ("num_attention_heads", 6),
        "n_channels": ("num_channels", 3)}
#: Positions are turned, whatever the size of a picture; how they are moved in training.
HARMLESS = frozenset("""
    apply_layernorm drop_path_rate image_size layerscale_value out_features out_indices
    pos_embed_jitter pos_embed_rescale pos_embed_shift reshape_hidden_states stage_names
""".split())
#: Which attention has which of the biases of queries, keys and values.
BIASES = {(True, True, True): ("mha", ["qkv"]), (True, False, True): ("qv-bias", ["qkv"]),
          (False, False, False): ("mha", [])}


def build(config: Config, name: str) -> Model:
    """The encoder from its configuration."""
    config.task(CLASSES, "base")
    values = config.dims(DIMS) | sides(config, {"d_patch": ("patch_size", 16)})
    values["n_registers"] = config.number("num_register_tokens", 0)
    block = _layer(config)
    config.close(HARMLESS)
    before = (slot("vector", "vector", "cls_token", axes=2),
              slot("mask", "vector", "mask_token", kind="vector", axes=2),
              slot("registers", "registers", "register_tokens", kind="vector"),
              slot("patches", "patches", "patch_embeddings.", bias=True))
    model = picture_encoder(config, name, values, block, "model.layer.*.", before=before,
                            after=(slot("norm", "layernorm", "norm."),))
    return replace(model, zeros=frozenset({"n_registers"}))


def _layer(config: Config) -> Block:
    """A layer, with the biases that the configuration says."""
    three = tuple(config.flag(f"{each}_bias", each != "key") for each in ("query", "key", "value"))
    if three not in BIASES:
        raise config.error("key_bias", "biases of some of queries, keys and values are understood "
                           "where all have one, none, or all but the keys")
    attention, sites = BIASES[three]
    sites = [*sites, *(["attn-out"] if config.flag("proj_bias", True) else [])]
    ffn = "swiglu" if config.flag("use_gated_mlp", False) else "mlp"
    return (slot("attention", attention, "attention.", bias=sites),
            slot("ffn", ffn, "mlp.", bias=config.flag("mlp_bias", True)),
            slot("norms.attention", "layernorm", "norm1."),
            slot("norms.ffn", "layernorm", "norm2."),
            *(slot(f"scale.{place}", "layer-scale", f"layer_scale{i}.lambda1", kind="scale")
              for i, place in enumerate(("attention", "ffn"), 1)))
