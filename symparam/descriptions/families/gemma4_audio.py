"""Gemma 4's encoder of sound: a Conformer between two half-step networks.

Source: Gulati et al. 2020, arXiv:2005.08100; Zhang et al. 2023, arXiv:2303.01037; transformers,
models/gemma4.
"""

from __future__ import annotations

from symparam import expression as ex
from symparam.components.sound_folding import N_FIRST, N_SECOND
from symparam.constraints import Equation, Standing
from symparam.descriptions.assembling.assemble import Block, slot
from symparam.descriptions.assembling.pictures import D_OUT, linear, picture_encoder
from symparam.descriptions.config import Config
from symparam.descriptions.families.audio_encoders import UNSET
from symparam.descriptions.families.gemma4_vision import bounds
from symparam.dims import Dim
from symparam.layout import entries, entry
from symparam.model import Model
from symparam.stack import Stack

MODEL_TYPES = ("gemma4_audio",)
CLASSES = {"Gemma4AudioModel": "base"}
DIMS = {"d_model": ("hidden_size", 1024), "L": ("num_hidden_layers", 12),
        "n_heads": ("num_attention_heads", 8), "k_conv": ("conv_kernel_size", 5),
        "d_out": ("output_proj_dims", 1536)}
HARMLESS = frozenset("""
    attention_chunk_size attention_context_left attention_context_right
    attention_invalid_logits_value attention_logit_cap gradient_clipping residual_weight
""".split())
K_FRONT = Dim("k_front", r"k_{\text{front}}", "side of the filters over time and frequency")
WIDE = Equation("d_ff", ex.Num(4) * ex.Sym("d_model"), "four times the width",
                Standing.DEFINITION)
#: Two convolutions, which fold the sound, before the layers.
FRONT = slot("front_end", "folding", "", {"k_conv": "k_front"}, kind="front-end")
NETWORKS = ("feed_forward1", "feed_forward2")
MATRICES = (*(f"{network}.ffw_layer_{i}" for network in NETWORKS for i in (1, 2)),
            *(f"self_attn.{each}" for each in ("q_proj", "k_proj", "v_proj", "post")),
            "lconv1d.linear_start", "lconv1d.linear_end")
NAMES = (*entries("*.attention", Q="q_proj.linear", K="k_proj.linear", V="v_proj.linear",
                  O="post.linear"),
         *(each for network in ("first", "second") for each in entries(
             f"*.ffn.{network}", up="ffw_layer_1.linear", down="ffw_layer_2.linear")),
         entry("*.positions", "W_R", ".relative_k_proj.weight"),
         entry("*.convolution", "W_in", ".linear_start.linear.weight"),
         entry("*.convolution", "W_out", ".linear_end.linear.weight"))


def build(config: Config, name: str) -> Model:
    """The encoder from its configuration."""
    config.task(CLASSES, "base")
    values = (config.dims(DIMS) | channels(config, "subsampling_conv_channels")
              | {"k_front": 3})
    clipped = config.flag("use_clipped_linears", True)
    config.close(HARMLESS)
    output = Stack("output", (linear("linear", "output_proj.", "d_model", "d_out", bias=True),))
    return picture_encoder(
        config, name, values, (*conformer(), *(bounds(MATRICES) if clipped else ())), "layers.*.",
        before=(FRONT,), embeddings="subsample_conv_projection.", further=(output,), names=NAMES,
        equations=(WIDE,), declared=(K_FRONT, D_OUT), unset=UNSET)


def channels(config: Config, key: str) -> dict[str, int]:
    """The channels of both convolutions of the sound, from a list of them."""
    found = config.raw(key, [128, 32])
    if not isinstance(found, list) or len(found) != 2 or any(
            type(each) is not int or each < 1 for each in found):
        raise config.error(key, "expected two numbers of channels")
    return {N_FIRST.name: found[0], N_SECOND.name: found[1]}


def conformer(networks: tuple[str, str] = NETWORKS, attention: str = "self_attn.",
              norms: tuple[str, str, str] = ("norm_pre_attn.", "norm_post_attn.", "norm_out."),
              ) -> Block:
    """A network, attention, the convolution module, a network, and a norm at the end.

    Args:
        networks: what the names of both networks are.
        attention: what the names of the attention begin with.
        norms: what the norms before and after attention, and at the end, are called.
    """
    around = tuple(each for word, prefix in zip(("first", "second"), networks, strict=True)
                   for each in (
                       slot(f"ffn.{word}", "mlp", f"{prefix}."),
                       slot(f"norms.{word}", "rmsnorm", f"{prefix}.pre_layer_norm."),
                       slot(f"norms.{word}_out", "rmsnorm", f"{prefix}.post_layer_norm.")))
    before, after, out = norms
    return (*around, slot("attention", "mha", attention),
            slot("positions", "relative", attention),
            slot("scale", "layer-scale", f"{attention}per_dim_scale", {"d_model": "d_head"}),
            slot("norms.attention", "rmsnorm", before),
            slot("norms.attention_out", "rmsnorm", after),
            slot("convolution", "light"),
            slot("norms.convolution", "rmsnorm", "lconv1d.pre_layer_norm."),
            slot("norms.filters", "rmsnorm", "lconv1d.conv_norm."),
            slot("norms.out", "rmsnorm", out))
