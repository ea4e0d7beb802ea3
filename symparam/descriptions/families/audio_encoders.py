"""Encoders of sound: Whisper's by itself, and GLM-ASR's, which has positions that are turned.

Source: Radford et al. 2022, arXiv:2212.04356; Chu et al. 2024, arXiv:2407.10759; Liu et al. 2025,
arXiv:2507.13264; transformers, models/qwen2_audio, models/voxtral, models/audioflamingo3,
models/glmasr, models/moss_transcribe_diarize.
"""

from __future__ import annotations

from typing import Any

from symparam.descriptions.assembling.assemble import Block, slot
from symparam.descriptions.assembling.pictures import picture_encoder
from symparam.descriptions.config import Config
from symparam.descriptions.families.bart import ENCODER_NAMES
from symparam.descriptions.families.whisper import KERNEL
from symparam.layout import entries
from symparam.model import Model

CLASSES = {"qwen2_audio_encoder": "Qwen2AudioEncoder", "voxtral_encoder": "VoxtralEncoder",
           "audioflamingo3_encoder": "AudioFlamingo3Encoder", "glmasr_encoder": "GlmAsrEncoder",
           "moss_transcribe_diarize_audio": "MossTranscribeDiarizeAudioModel"}
MODEL_TYPES = tuple(CLASSES)
#: What a sound costs depends on how many vectors go through the layers.
UNSET = "is an encoder of sound, and what it multiplies for one is not worked out"
DIMS: dict[str, tuple[Any, ...]] = {
    "d_model": ("hidden_size", "d_model", 1280), "n_mels": ("num_mel_bins", 128),
    "L": ("num_hidden_layers", "encoder_layers", 32),
    "n_heads": ("num_attention_heads", "encoder_attention_heads", 20),
    "d_ff": ("intermediate_size", "encoder_ffn_dim", 5120)}
#: Qwen's encoder knows the older names alone.
OLDER = {"d_model": ("d_model", 1280), "n_mels": ("num_mel_bins", 128),
         "L": ("encoder_layers", 32), "n_heads": ("encoder_attention_heads", 20),
         "d_ff": ("encoder_ffn_dim", 5120)}
#: Where the defaults are others.
OWN = {"moss_transcribe_diarize_audio": {"d_model": 1024, "n_mels": 80, "L": 24, "n_heads": 16,
                                         "d_ff": 4096}}
HARMLESS = frozenset("vocab_size max_source_positions max_position_embeddings".split())


def build(config: Config, name: str) -> Model:
    """The encoder from its configuration."""
    kind = config.model_type
    config.task({CLASSES[kind]: "base"}, "base")
    turned = kind == "glmasr_encoder"
    dims = OLDER if kind == "qwen2_audio_encoder" else DIMS
    table = {} if turned else {"n_ctx": ("max_source_positions", 1500)}
    own = OWN.get(kind, {})
    dims = {dim: (*keys, own.get(dim, default)) for dim, (*keys, default) in dims.items()}
    values = config.dims({**dims, **table}) | {"k_conv": KERNEL}
    if turned:
        for key, value in (("num_key_value_heads", values["n_heads"]),
                           ("head_dim", values["d_model"] // values["n_heads"])):
            config.only(key, value, None)
    config.close(HARMLESS)
    positions = () if turned else (slot("positions", "sinusoidal", None, stored=True),)
    return picture_encoder(
        config, name, values, _turned() if turned else _layer(), "layers.*.",
        before=(slot("front_end", "audio-convolutions", kind="front-end"), *positions),
        embeddings="", after=(slot("norm", "layernorm", "norm." if turned else "layer_norm."),),
        names=entries("*.ffn", up="fc1", down="fc2") if turned else ENCODER_NAMES, unset=UNSET)


def _layer() -> Block:
    """Whisper's layer: BART's with a norm before each part, keys without a bias."""
    return (slot("attention", "qv-bias", None, bias=True), slot("ffn", "mlp", "", bias=True),
            slot("norms.attention", "layernorm", "self_attn_layer_norm."),
            slot("norms.ffn", "layernorm", "final_layer_norm."))


def _turned() -> Block:
    return (slot("attention", "qv-bias", None, bias=True), slot("ffn", "mlp", bias=True),
            slot("norms.attention", "layernorm", "input_layernorm."),
            slot("norms.ffn", "layernorm", "post_attention_layernorm."))
