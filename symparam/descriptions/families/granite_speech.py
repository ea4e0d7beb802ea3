"""Granite Speech's encoder of sound: a Conformer trained to spell, whose spelling in the middle of
its layers goes back into them.

Source: Saon et al. 2025, arXiv:2505.08699, section 2; Gulati et al. 2020, arXiv:2005.08100;
transformers, models/granite_speech.
"""

from __future__ import annotations

from typing import Any

from symparam.descriptions.assembling.assemble import Block, slot
from symparam.descriptions.assembling.pictures import D_OUT, linear, picture_encoder
from symparam.descriptions.config import Config
from symparam.descriptions.families.audio_encoders import UNSET
from symparam.layout import entries, entry
from symparam.model import Model
from symparam.stack import Stack

CLASSES = {"granite_speech_encoder": "GraniteSpeechCTCEncoder",
           "granite_speech_plus_encoder": "GraniteSpeechPlusCTCEncoder"}
MODEL_TYPES = tuple(CLASSES)
DIMS: dict[str, tuple[Any, ...]] = {
    "n_mels": ("input_dim", "num_mel_bins", 160), "d_model": ("hidden_dim", "hidden_size", 1024),
    "L": ("num_layers", "num_hidden_layers", 10),
    "n_heads": ("num_heads", "num_attention_heads", 8), "d_head": ("dim_head", None),
    "d_out": ("output_dim", 42), "n_rel": ("max_pos_emb", 512), "k_conv": ("conv_kernel_size", 15)}
#: How many frames are attended to at once, and which layers' outputs the projector sees too.
HARMLESS = frozenset({"context_size", "cat_hidden_layers"})
NAMES = (*entries("*.attention", Q="to_q", O="to_out"),
         entry("*.attention", "W_K W_V", ".to_kv.weight"),
         entry("*.convolution", "W_in", ".up_conv.weight"),
         entry("*.convolution", "b_in", ".up_conv.bias"),
         entry("*.convolution", "W_conv", ".depth_conv.conv.weight"),
         entry("*.convolution", "W_out", ".down_conv.weight"),
         entry("*.convolution", "b_out", ".down_conv.bias"))


def build(config: Config, name: str) -> Model:
    """The encoder from its configuration."""
    config.task({CLASSES[config.model_type]: "base"}, "base")
    values = config.dims(DIMS)
    for dim, key, default in (("d_ff", "feedforward_mult", 4),
                              ("d_inner", "conv_expansion_factor", 2)):
        values[dim] = values["d_model"] * config.count_of(key, default=default)
    config.close(HARMLESS)
    middle = Stack("spelling", (linear("out", "out.", "d_model", "d_out", bias=True),
                                linear("back", "out_mid.", "d_out", "d_model", bias=True)))
    return picture_encoder(
        config, name, values, _layer(), "layers.*.", embeddings="",
        before=(linear("bands", "input_linear.", "n_mels", "d_model", bias=True),),
        further=(middle,), names=NAMES, declared=(D_OUT,), unset=UNSET)


def _layer() -> Block:
    """Half a network, attention, a convolution and the other half, a norm for each and one more."""
    return (slot("ffn.first", "mlp", "ff1.", bias=True),
            slot("norms.first", "layernorm", "ff1.pre_norm."),
            slot("attention", "mha", "attn.", bias=["attn-out"]),
            slot("positions", "shaw", "attn.rel_pos_emb."),
            slot("norms.attention", "layernorm", "attn.pre_norm."),
            slot("convolution", "conformer", "conv.", bias=["convolution"]),
            slot("norms.convolution", "layernorm", "conv.norm."),
            slot("batch_norm", "batchnorm", "conv.batch_norm.", {"d_model": "d_inner"},
                 kind="batch-norm"),
            slot("ffn.second", "mlp", "ff2.", bias=True),
            slot("norms.second", "layernorm", "ff2.pre_norm."),
            slot("norms.last", "layernorm", "post_norm."))
