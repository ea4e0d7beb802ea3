"""Gemma 4's encoder of pictures, and the single matrix that Gemma 4 Unified has instead of one.

Its layers are Gemma's: four norms, a gated network, norms of queries and keys. A patch is told
where it is by its row and its column. What goes through a matrix may be kept within bounds.

Source: transformers, models/gemma4 and models/gemma4_unified.
"""

from __future__ import annotations

from symparam import expression as ex
from symparam.components import find
from symparam.constraints import Equation, Standing
from symparam.descriptions.assembling.assemble import Block, slot
from symparam.descriptions.assembling.pictures import D_OUT, N_MERGE, linear, picture_encoder
from symparam.descriptions.config import Config
from symparam.descriptions.options import norm_slots
from symparam.dims import Dim
from symparam.layout import entries
from symparam.model import Model
from symparam.stack import Slot

MODEL_TYPES = ("gemma4_vision", "gemma4_unified_vision")
CLASSES = {"Gemma4VisionModel": "base"}
DIMS = {"d_model": ("hidden_size", 768), "d_ff": ("intermediate_size", 3072),
        "L": ("num_hidden_layers", 16), "n_heads": ("num_attention_heads", 12),
        "n_kv": ("num_key_value_heads", 12), "d_head": ("head_dim", 64),
        "d_patch": ("patch_size", 16), "n_ctx": ("position_embedding_size", 10240)}
UNIFIED = {"d_model": ("mm_embed_dim", 3840), "n_ctx": ("mm_posemb_size", 1120),
           "d_patch": ("patch_size", 16), "n_merge": ("pooling_kernel_size", 3),
           "d_out": ("output_proj_dims", 3840)}
#: A picture has three channels, whatever a configuration says.
CHANNELS = 3
#: Patches are pooled where nothing has a weight; no matrix has a bias.
HARMLESS = frozenset("""
    attention_bias default_output_length global_head_dim image_seq_length max_position_embeddings
    pooling_kernel_size video_seq_length
""".split())
#: The matrices of a layer, below its prefix.
MATRICES = ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj",
            "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj")
NAMES = (*entries("*.attention", Q="q_proj.linear", K="k_proj.linear", V="v_proj.linear",
                  O="o_proj.linear"),
         *entries("*.ffn", gate="gate_proj.linear", up="up_proj.linear", down="down_proj.linear"))
D_PIXELS = Dim("d_pixels", r"d_{\text{pixels}}", "numbers of the patches that become one")


def build(config: Config, name: str) -> Model:
    """The encoder from its configuration."""
    config.task(CLASSES, "base")
    if config.model_type == "gemma4_unified_vision":
        return _unified(config, name)
    values = config.dims(DIMS) | {"n_channels": CHANNELS}
    clipped = config.flag("use_clipped_linears", False)
    standard = config.flag("standardize", False)
    config.close(HARMLESS)
    block = (slot("attention", "gqa", qk_norm=True), slot("ffn", "geglu"),
             *norm_slots(find("norm", "rmsnorm")(), 4), *(bounds(MATRICES) if clipped else ()))
    before = (slot("patches", "patches", "input_proj.", flat=True), slot("positions", "axes", None))
    return picture_encoder(
        config, name, values, block, "encoder.layers.*.", before=before,
        embeddings="patch_embedder.", names=NAMES,
        after=(slot("standardisation", "measured", ""),) if standard else ())


def bounds(prefixes: tuple[str, ...]) -> Block:
    """The bounds of matrices, each under the name of its matrix."""
    return tuple(slot(f"bounds.{prefix.replace('.', '_')}", "clip", f"{prefix}.")
                 for prefix in prefixes)


def _unified(config: Config, name: str) -> Model:
    """Pixels to vectors by one matrix, with norms around it."""
    values = config.dims(UNIFIED)
    config.only("model_patch_size", values["d_patch"] * values["n_merge"])
    config.close()
    side = ex.Sym("n_merge") * ex.Sym("d_patch")
    pixels = Equation("d_pixels", ex.Num(CHANNELS) * side ** 2, "patches that become one, each "
                      "pixel with its channels", Standing.DEFINITION)
    before: tuple[Slot, ...] = (
        slot("norms.pixels", "layernorm", "patch_ln1.", {"d_model": "d_pixels"}),
        linear("patches", "patch_dense.", "d_pixels", "d_model", bias=True),
        slot("norms.patches", "layernorm", "patch_ln2."),
        slot("positions", "axes", "pos_embedding", inner=True),
        slot("norms.positions", "layernorm", "pos_norm."))
    return picture_encoder(config, name, values, (), "", before=before, embeddings="",
                           equations=(pixels,), declared=(N_MERGE, D_PIXELS, D_OUT))
