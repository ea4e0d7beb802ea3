"""Inkling 2's encoder of pictures: a class token, gains on what layers add, patches that merge.

Source: transformers, models/inkling2.
"""

from __future__ import annotations

from symparam import expression as ex
from symparam.constraints import Equation, Standing
from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.pictures import (
    CLIP_NAMES,
    D_MERGED,
    D_OUT,
    MERGED,
    N_MERGE,
    encoder_block,
    linear,
    picture_encoder,
)
from symparam.descriptions.config import Config
from symparam.dims import Dim
from symparam.model import Model
from symparam.stack import Stack

MODEL_TYPES = ("inkling2_vision",)
CLASSES = {"Inkling2VisionModel": "base"}
DIMS = {"d_model": ("hidden_size", 1024), "L": ("num_hidden_layers", 23),
        "n_heads": ("num_attention_heads", 16), "n_channels": ("num_channels", 3),
        "d_patch": ("patch_size", "native_patch_size", 20),
        "n_merge": ("spatial_merge_size", "adapter_merge_size", 2),
        "n_grid": ("posemb_grid_size", 32), "d_between": ("projection_hidden_dim", 4096),
        "d_out": ("text_hidden_size", 4608)}
HARMLESS = frozenset({"layer_scale_init_value"})
N_GRID = Dim("n_grid", r"n_{\text{grid}}", "positions along a side of the table", (
    "posemb_grid_size",))
D_BETWEEN = Dim("d_between", r"d_{\text{between}}", "width inside the merger")
SQUARE = Equation("n_ctx", ex.Sym("n_grid") ** 2, "the table is a square", Standing.DEFINITION)


def build(config: Config, name: str) -> Model:
    """The encoder from its configuration."""
    config.task(CLASSES, "base")
    values = config.dims(DIMS)
    values["d_ff"] = config.optional_count("intermediate_size") or _times(config, values["d_model"])
    bias = config.flag("projector_bias", False)
    config.read.add("mlp_ratio")
    config.close(HARMLESS)
    gains = tuple(slot(f"scale.{site}", "layer-scale", f"lambda_{i}")
                  for i, site in ((1, "attention"), (2, "ffn")))
    before = (slot("patches", "patches", "patch_embedding.", flat=True),
              slot("positions", "learned", "position_embedding."),
              slot("class_token", "vector", "class_embedding", kind="vector"),
              slot("class_position", "vector", "cls_position_embedding", kind="vector"))
    return picture_encoder(
        config, name, values,
        encoder_block(norms=("layernorm_before.", "layernorm_after."), more=gains), "layers.*.",
        before=before, norm_before=(slot("norm", "layernorm", "pre_layernorm."),),
        further=(Stack("merger", (
            linear("up", "linear_1.", "d_merged", "d_between", bias=bias),
            linear("down", "linear_2.", "d_between", "d_out", bias=bias)), prefix="merger."),),
        names=CLIP_NAMES, equations=(MERGED, SQUARE),
        declared=(N_MERGE, D_MERGED, D_OUT, N_GRID, D_BETWEEN))


def _times(config: Config, width: int) -> int:
    """The width inside the network, by a ratio."""
    ratio = config.raw("mlp_ratio", 4.0)
    if type(ratio) not in (int, float) or not 0 < ratio < 1000 or int(width * ratio) < 1:
        raise config.error("mlp_ratio", "expected a positive number")
    return int(width * ratio)
