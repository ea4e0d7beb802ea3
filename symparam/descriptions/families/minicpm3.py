"""MiniCPM3: latent attention in a dense model with scaled embeddings and residuals.

Source: openbmb/MiniCPM3-4B, modeling_minicpm.py; transformers, models/minicpm3.
"""

from __future__ import annotations

from symparam.component import equation
from symparam.components import find
from symparam.descriptions.assembling.assemble import classes, decoder_model, slot
from symparam.descriptions.assembling.latent import HARMLESS, latent_attention, latent_dims
from symparam.descriptions.config import Config
from symparam.descriptions.options import norm_slots
from symparam.model import Model

MODEL_TYPES = ("minicpm3",)
CLASSES = classes("MiniCPM3")
DIMS = {
    "V": ("vocab_size", 73448), "L": ("num_hidden_layers", 62), "d_model": ("hidden_size", 2560),
    "n_heads": ("num_attention_heads", 40), "d_ff": ("intermediate_size", 6400),
    **latent_dims(768, 256, 64, 32, None),
}
VALUES = equation("d_v", "d_model/n_heads", "values split the width among the heads")


def build(config: Config, name: str) -> Model:
    """A MiniCPM3 from its configuration: v_head_dim missing or null follows from the width."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS, nullable=("q_rank",))
    attention = latent_attention(config, values)
    ffn = slot("ffn", "swiglu", bias=config.flag("mlp_bias", False))
    tied = config.flag("tie_word_embeddings", True)
    config.close(HARMLESS | {"dim_model_base", "scale_depth", "scale_emb"})
    norm = find("norm", "rmsnorm")()
    return decoder_model(config, name, task, values, (attention, ffn, *norm_slots(norm, 2)),
                         final_norm=norm, tied=tied, equations=(VALUES,))
