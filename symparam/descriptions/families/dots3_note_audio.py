"""dots3-note's encoder of sound: convolutions over time and bands, then gated layers.

Source: transformers, models/dots3_note.
"""

from __future__ import annotations

from typing import Any

from symparam.descriptions.assembling.assemble import Block, slot
from symparam.descriptions.assembling.pictures import D_OUT, linear, picture_encoder
from symparam.descriptions.config import Config
from symparam.descriptions.families.audio_encoders import UNSET
from symparam.descriptions.families.whisper import KERNEL
from symparam.layout import entry
from symparam.model import Model
from symparam.stack import Stack

MODEL_TYPES = ("dots3_note_audio_encoder",)
CLASSES = {"Dots3NoteAudioModel": "base"}
DIMS: dict[str, tuple[Any, ...]] = {
    "d_model": ("hidden_size", 1280), "d_ff": ("intermediate_size", 5120),
    "L": ("num_hidden_layers", 32), "n_heads": ("num_attention_heads", 20),
    "n_mels": ("feature_size", 128), "n_filters": ("downsample_hidden_size", 480),
    "d_out": ("whisper_adapter_out_dim", "adapter_output_size", "adapter_out_dim", 5120)}
#: Names in the part of older files that Whisper's configuration is.
OLDER = {"d_model": "hidden_size", "encoder_attention_heads": "num_attention_heads",
         "encoder_layers": "num_hidden_layers", "encoder_ffn_dim": "intermediate_size",
         "num_mel_bins": "feature_size", "max_source_positions": "max_position_embeddings"}
#: Positions are computed; what follows from other keys is saved too.
HARMLESS = frozenset("""
    conv_output_size head_dim hop_length max_position_embeddings num_key_value_heads
    partial_rotary_factor samples_per_token sampling_rate whisper_config
""".split())
NAMES = (*(entry("embedding.front_end", f"{kind}_{i + 1}", f".convs.{i}.{word}")
           for i in range(3) for kind, word in (("W", "weight"), ("b", "bias"))),
         entry("*.ffn", "W_gate W_up", ".gate_up_proj.weight"),
         entry("*.ffn", "b_gate b_up", ".gate_up_proj.bias"))


def build(config: Config, name: str) -> Model:
    """The encoder from its configuration, or from an older one with Whisper's inside."""
    config.task(CLASSES, "base")
    older = config.raw("whisper_config", None)
    if isinstance(older, dict):
        config.data = {**config.data, **{new: older[old] for old, new in OLDER.items()
                                         if old in older}}
    elif older is not None:
        raise config.error("whisper_config", "expected a table")
    values = config.dims(DIMS) | {"k_conv": KERNEL}
    for key in ("whisper_adapter_in_dim", "adapter_input_size"):
        config.only(key, values["d_model"])
    bias = config.flag("attention_bias", True)
    config.close(HARMLESS)
    return picture_encoder(
        config, name, values, _block(bias), "layers.*.", embeddings="conv_stem.",
        before=(slot("front_end", "planes", "", kind="front-end"),),
        after=(slot("norm", "rmsnorm", "layer_norm."),), further=(Stack("adapter", (
            slot("norm", "layernorm", "norm."),
            linear("up", "fc1.", "d_model", "d_out", bias=True),
            linear("down", "fc2.", "d_out", "d_out", bias=True)), prefix="adapter."),),
        names=NAMES, declared=(D_OUT,), unset=UNSET)


def _block(bias: bool) -> Block:
    """A layer; its network has biases in any case."""
    return (slot("attention", "qv-bias", bias=bias), slot("ffn", "swiglu", bias=True),
            slot("norms.attention", "rmsnorm", "input_layernorm."),
            slot("norms.ffn", "rmsnorm", "post_attention_layernorm."))
