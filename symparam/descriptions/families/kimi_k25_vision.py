"""Kimi K2.5's encoder of pictures and films (MoonViT): positions of a plane, LayerNorms, biases.

Source: Kimi Team 2025, arXiv:2504.07491, section 2.1; transformers, models/kimi_k25.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.pictures import encoder_block, picture_encoder, sides
from symparam.descriptions.config import Config
from symparam.layout import entries
from symparam.model import Model

MODEL_TYPES = ("kimi_k25_vision",)
#: A key of transformers' class, and that of the published files, which the class does not read.
DIMS = {"d_model": ("hidden_size", "vt_hidden_size", 1152),
        "d_ff": ("intermediate_size", "vt_intermediate_size", 4304),
        "L": ("num_hidden_layers", "vt_num_hidden_layers", 27),
        "n_heads": ("num_attention_heads", "vt_num_attention_heads", 16),
        "n_rows": ("pos_emb_height", "init_pos_emb_height", 64),
        "n_columns": ("pos_emb_width", "init_pos_emb_width", 64)}
SIDES = {"d_patch": ("patch_size", 14), "n_merge": ("merge_kernel_size", 2)}
#: A picture has three channels, whatever a configuration says.
CHANNELS = 3
#: What else they say: of films, and of the projector, which the configuration around this has.
HARMLESS = frozenset("""
    init_pos_emb_time merge_type mm_projector_type pos_emb_time pos_emb_type projector_hidden_act
    projector_ln_eps text_hidden_size video_attn_type
""".split())
NAMES = (*entries("*.attention", O="proj"), *entries("*.ffn", up="fc1", down="fc2"))


def build(config: Config, name: str) -> Model:
    """The encoder from its configuration."""
    config.task({"Kimi_K25VisionModel": "base"}, "base")
    values = config.dims(DIMS) | sides(config, SIDES) | {"n_channels": CHANNELS}
    for key, published, default in DIMS.values():
        if key not in config:
            config.only(published, default)
    config.only("mm_hidden_size", values["d_model"])
    config.close(HARMLESS)
    before = (slot("patches", "patches", "proj.", bias=True),
              slot("positions", "plane", "pos_emb.position_embeddings"))
    return picture_encoder(
        config, name, values, encoder_block(norms=("norm1.", "norm2."), attention="attn."),
        "layers.*.", before=before, embeddings="patch_embed.",
        after=(slot("norm", "layernorm", "final_layernorm."),), names=NAMES)
