"""Qwen3-ASR's encoder of sound: convolutions over time and bands, then Whisper's layers with all
biases; positions are computed.

Source: transformers, models/qwen3_asr; Radford et al. 2022, arXiv:2212.04356.
"""

from __future__ import annotations

from typing import Any

from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.pictures import (
    CLIP_NAMES,
    D_OUT,
    encoder_block,
    picture_encoder,
)
from symparam.descriptions.config import Config
from symparam.descriptions.families.audio_encoders import UNSET
from symparam.descriptions.families.whisper import KERNEL
from symparam.model import Model

MODEL_TYPES = ("qwen3_asr_encoder",)
CLASSES = {"Qwen3ASREncoder": "base"}
DIMS: dict[str, tuple[Any, ...]] = {
    "d_model": ("d_model", "hidden_size", 1024), "n_mels": ("num_mel_bins", 128),
    "L": ("encoder_layers", "num_hidden_layers", 24),
    "n_heads": ("encoder_attention_heads", "num_attention_heads", 16),
    "d_ff": ("encoder_ffn_dim", "intermediate_size", 4096),
    "n_filters": ("downsample_hidden_size", 480), "d_out": ("output_dim", 3584)}
#: How many frames go through the layers at once; positions are computed, and not stored.
HARMLESS = frozenset({"n_window", "n_window_infer", "max_position_embeddings"})


def build(config: Config, name: str) -> Model:
    """The encoder from its configuration."""
    config.task(CLASSES, "base")
    values = config.dims(DIMS) | {"k_conv": KERNEL}
    config.close(HARMLESS)
    block = encoder_block(norms=("self_attn_layer_norm.", "final_layer_norm."), mlp="")
    return picture_encoder(
        config, name, values, block, "layers.*.", embeddings="",
        before=(slot("front_end", "planes", kind="front-end"),),
        after=(slot("norm", "layernorm", "ln_post."),), names=CLIP_NAMES, declared=(D_OUT,),
        unset=UNSET)
