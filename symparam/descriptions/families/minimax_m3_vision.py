"""MiniMax M3's encoder of pictures and films: CLIP's layers, patches of frames, turned positions.

Source: transformers, models/minimax_m3_vl.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.pictures import (
    CLIP_NAMES,
    N_MERGE,
    encoder_block,
    picture_encoder,
    sides,
)
from symparam.descriptions.config import Config
from symparam.model import Model

MODEL_TYPES = ("minimax_m3_vl_vision",)
DIMS = {"d_model": ("hidden_size", 1280), "d_ff": ("intermediate_size", 5120),
        "L": ("num_hidden_layers", 32), "n_heads": ("num_attention_heads", 16),
        "n_channels": ("num_channels", 3), "n_frames": ("temporal_patch_size", 2),
        "n_merge": ("spatial_merge_size", 2)}
#: A picture may have any size; published files have keys of CLIP, and of how positions are turned.
HARMLESS = frozenset("""
    image_size position_embedding_type projection_dim rope_mode vision_segment_max_frames vocab_size
""".split())
#: The table of the published files for what transformers' class has keys of its own.
TABLE = "img_token_compression_config"


def build(config: Config, name: str) -> Model:
    """The encoder from its configuration."""
    config.task({"MiniMaxM3VLVisionModel": "base"}, "base")
    values = config.dims(DIMS) | sides(config, {"d_patch": ("patch_size", 14)})
    if config.raw(TABLE, None) is not None:
        table = config.part(TABLE, "")
        table.only("spatial_merge_size", values["n_merge"])
        table.only("temporal_patch_size", values["n_frames"])
        table.close({"image_token_compression_method"})
    config.close(HARMLESS)
    return picture_encoder(
        config, name, values, encoder_block(), "layers.*.", embeddings="",
        before=(slot("patches", "patches", "embeddings.proj.", frames=True),),
        norm_before=(slot("norm", "layernorm", "pre_layrnorm."),), names=CLIP_NAMES,
        declared=(N_MERGE,))
