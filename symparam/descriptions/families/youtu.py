"""Youtu-LLM: latent attention in a small dense model.

Source: Lu et al. 2025, arXiv:2512.24618; transformers, models/youtu.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import classes, decoder_model, slot
from symparam.descriptions.assembling.latent import HARMLESS, latent_attention, latent_dims
from symparam.descriptions.config import Config
from symparam.descriptions.options import norm_slots
from symparam.model import Model

MODEL_TYPES = ("youtu",)
CLASSES = classes("Youtu")
DIMS = {
    "V": ("vocab_size", 128256), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 2048),
    "n_heads": ("num_attention_heads", 16), "d_ff": ("intermediate_size", 6144),
    **latent_dims(1536, 512, 128, 64, 128),
}


def build(config: Config, name: str) -> Model:
    """A Youtu-LLM from its configuration: tied unless it says otherwise."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS, nullable=("q_rank",))
    attention = latent_attention(config, values)
    tied = config.flag("tie_word_embeddings", True)
    config.close(HARMLESS | {"embedding_initializer_range"})
    norm = find("norm", "rmsnorm")()
    return decoder_model(config, name, task, values,
                         (attention, slot("ffn", "swiglu"), *norm_slots(norm, 2)),
                         final_norm=norm, tied=tied)
