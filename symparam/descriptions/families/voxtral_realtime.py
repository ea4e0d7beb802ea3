"""Voxtral Realtime's encoder of sound: Whisper's convolutions, then layers as those of Llama with
some biases, which see a window of what was heard before.

Source: transformers, models/voxtral_realtime; Liu et al. 2025, arXiv:2507.13264.
"""

from __future__ import annotations

from typing import Any

from symparam.descriptions.assembling.assemble import Block, slot
from symparam.descriptions.assembling.pictures import picture_encoder
from symparam.descriptions.config import Config
from symparam.descriptions.families.audio_encoders import UNSET
from symparam.descriptions.families.whisper import KERNEL
from symparam.model import Model

MODEL_TYPES = ("voxtral_realtime_encoder",)
CLASSES = {"VoxtralRealtimeEncoder": "base"}
DIMS: dict[str, tuple[Any, ...]] = {
    "d_model": ("hidden_size", "d_model", 1280), "n_mels": ("num_mel_bins", 128),
    "L": ("num_hidden_layers", "encoder_layers", 32),
    "n_heads": ("num_attention_heads", "encoder_attention_heads", "num_key_value_heads", 32),
    "d_ff": ("intermediate_size", "encoder_ffn_dim", 5120), "d_head": ("head_dim", 64)}
HARMLESS = frozenset({"vocab_size", "max_position_embeddings", "sliding_window"})


def build(config: Config, name: str) -> Model:
    """The encoder from its configuration."""
    config.task(CLASSES, "base")
    values = config.dims(DIMS) | {"k_conv": KERNEL}
    config.close(HARMLESS)
    return picture_encoder(
        config, name, values, _layer(), "layers.*.", embeddings="embedder.",
        before=(slot("front_end", "audio-convolutions", kind="front-end"),),
        after=(slot("norm", "rmsnorm", "norm."),), unset=UNSET)


def _layer() -> Block:
    """A norm before each part; keys without a bias, and the last matrix of the network with one."""
    return (slot("attention", "qv-bias", "self_attn.", bias=True),
            slot("ffn", "swiglu-down-bias", "mlp."),
            slot("norms.attention", "rmsnorm", "self_attn_layer_norm."),
            slot("norms.ffn", "rmsnorm", "final_layer_norm."))
