"""Mixtral: Mistral's layers with eight experts in place of one feed-forward network.

Source: Jiang et al. 2024, arXiv:2401.04088; transformers, models/mixtral.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import classes, slot
from symparam.descriptions.assembling.mixture import HARMLESS, mixture_model
from symparam.descriptions.assembling.windows import Sliding
from symparam.descriptions.config import Config
from symparam.model import Model

MODEL_TYPES = ("mixtral",)
CLASSES = classes("Mixtral")
DIMS = {
    "V": ("vocab_size", 32000), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 32), "n_kv": ("num_key_value_heads", 8),
    "d_head": ("head_dim", None), "d_expert": ("intermediate_size", 14336),
    "n_experts": ("num_local_experts", "num_experts", 8), "top_k": ("num_experts_per_tok", 2),
}
SLIDING = Sliding()


def build(config: Config, name: str) -> Model:
    """A Mixtral from its configuration: every layer is sparse, nothing has a bias."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS)
    return mixture_model(config, name, task, values, (slot("attention", "gqa"),),
                         (slot("ffn", "moe"),), tied=tied, windows=SLIDING)
