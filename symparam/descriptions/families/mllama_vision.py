"""Llama 3.2 Vision's encoder of pictures: tiles with positions of their own, and global layers with
gates behind the others.

Source: Grattafiori et al. 2024, arXiv:2407.21783, section 7; transformers, models/mllama.
"""

from __future__ import annotations

from symparam import expression as ex
from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.pictures import (
    D_OUT,
    encoder_block,
    picture_encoder,
    sides,
)
from symparam.descriptions.config import Config
from symparam.layout import entries, entry
from symparam.model import Model
from symparam.stack import Repeat, Stack

MODEL_TYPES = ("mllama_vision_model",)
DIMS = {"d_model": ("hidden_size", 1280), "d_ff": ("intermediate_size", 5120),
        "L": ("num_hidden_layers", 32), "L_global": ("num_global_layers", 8),
        "n_heads": ("attention_heads", 16), "n_channels": ("num_channels", 3),
        "n_tiles": ("max_num_tiles", 4), "d_out": ("vision_output_dim", 7680)}
SIDES = {"d_image": ("image_size", 448), "d_patch": ("patch_size", 14)}
#: How many ways to lie there are where no list says so.
RATIOS = 8
HARMLESS = frozenset({"intermediate_layers_indices", "max_aspect_ratio_id"})
NAMES = (*entries("*.ffn", up="fc1", down="fc2"),
         entry("*.gates", "s_attention", ".gate_attn"), entry("*.gates", "s_ffn", ".gate_ffn"))


def build(config: Config, name: str) -> Model:
    """The encoder from its configuration."""
    config.task({"MllamaVisionModel": "base"}, "base")
    values = config.dims(DIMS) | sides(config, SIDES)
    listed = config.raw("supported_aspect_ratios", None)
    if listed is not None and not isinstance(listed, list):
        raise config.error("supported_aspect_ratios", "expected a list of pairs of numbers")
    values["n_ratios"] = (RATIOS if listed is None else len(listed)) + 1
    config.close(HARMLESS)
    block = encoder_block(bias=False, norms=("input_layernorm.", "post_attention_layernorm."))
    gated = (*block, slot("gates", "two", "", kind="cross-gates"))
    last = Stack("global", gated, Repeat.times(ex.Sym("L_global")), "global_transformer.layers.*.")
    before = (slot("vector", "vector", "class_embedding"),
              slot("patches", "patches", "patch_embedding."),
              slot("positions", "patches", "gated_positional_embedding.", kind="tiles"),
              *(slot(f"tiles.{word}", "tiles", f"{word}_tile_positional_embedding.", kind="tiles")
                for word in ("pre", "post")))
    return picture_encoder(
        config, name, values, block, "transformer.layers.*.", embeddings="", before=before,
        norm_before=(slot("norm", "layernorm", "layernorm_pre."),),
        after=(slot("norm", "layernorm", "layernorm_post."),), further=(last,), names=NAMES,
        declared=(D_OUT,))
