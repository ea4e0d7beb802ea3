"""Gemma 3n's encoder of sound: the Conformer that Gemma 4 has too, without bounds or an output.

Source: Gulati et al. 2020, arXiv:2005.08100; Zhang et al. 2023, arXiv:2303.01037; transformers,
models/gemma3n.
"""

from __future__ import annotations

from symparam import expression as ex
from symparam.arithmetic import Rounding
from symparam.components.audio_convolutions import N_MELS
from symparam.constraints import Equation, Standing
from symparam.descriptions.assembling.pictures import picture_encoder
from symparam.descriptions.config import Config
from symparam.descriptions.families.audio_encoders import UNSET
from symparam.descriptions.families.gemma4_audio import FRONT, K_FRONT, WIDE, channels, conformer
from symparam.layout import entries, entry
from symparam.model import Model

MODEL_TYPES = ("gemma3n_audio",)
CLASSES = {"Gemma3nAudioEncoder": "base"}
DIMS = {"d_model": ("hidden_size", 1536), "L": ("conf_num_hidden_layers", 12),
        "n_heads": ("conf_num_attention_heads", 8), "k_conv": ("conf_conv_kernel_size", 5),
        "n_mels": ("input_feat_size", 128)}
HARMLESS = frozenset("""
    conf_attention_chunk_size conf_attention_context_left conf_attention_context_right
    conf_attention_logit_cap conf_reduction_factor conf_residual_weight gradient_clipping
    sscp_conv_group_norm_eps vocab_offset vocab_size
""".split())

#: Filters that are understood: squares of three that move by two, of both convolutions.
SIDE, STRIDE = 3, 2
NETWORKS = ("ffw_layer_start", "ffw_layer_end")
#: A band beside each edge is added before each convolution, which then takes every second place.
BANDS = Equation("n_bands", ex.Sym("n_mels") / 4,
                 "both convolutions halve them", Standing.DEFAULT, Rounding("up", 1))
NAMES = (entry("*.attention", "W_O", "conformer.*.attention.post.weight"),
         *(each for network in ("first", "second") for each in entries(
             f"*.ffn.{network}", up="ffw_layer_1", down="ffw_layer_2")),
         entry("*.positions", "W_R", ".relative_position_embedding.pos_proj.weight"),
         *(entry("embedding.front_end", f"{kind}_{i + 1}", f".conv_{i}.{part}.weight")
           for i in (0, 1) for kind, part in (("W", "conv"), ("g", "norm"))))


def build(config: Config, name: str) -> Model:
    """The encoder from its configuration."""
    config.task(CLASSES, "base")
    values = config.dims(DIMS) | channels(config, "sscp_conv_channel_size") | {"k_front": SIDE}
    for key, side in (("sscp_conv_kernel_size", SIDE), ("sscp_conv_stride_size", STRIDE)):
        config.only(key, [[side, side], [side, side]])
    config.close(HARMLESS)
    return picture_encoder(
        config, name, values, conformer(NETWORKS, "attention.attn.", (
            "attention.pre_attn_norm.", "attention.post_norm.", "norm.")), "conformer.*.",
        before=(FRONT,), embeddings="subsample_conv_projection.", names=NAMES,
        equations=(WIDE, BANDS), declared=(K_FRONT, N_MELS), unset=UNSET)
