"""Mistral 4: DeepSeek's latent attention, and experts whose router corrects no balance.

Source: transformers, models/mistral4; DeepSeek-AI 2024, arXiv:2405.04434.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import FUSED_EXPERTS, classes, decoder_model
from symparam.descriptions.assembling.latent import (
    HARMLESS,
    first_dense,
    latent_attention,
    latent_dims,
    two_kinds,
)
from symparam.descriptions.config import Config
from symparam.model import Model

MODEL_TYPES = ("mistral4",)
CLASSES = classes("Mistral4")
DIMS = {
    "V": ("vocab_size", 131072), "L": ("num_hidden_layers", 36), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 32), "d_ff": ("intermediate_size", 12288),
    "n_experts": ("n_routed_experts", "num_local_experts", 128),
    "top_k": ("num_experts_per_tok", 4), "n_shared": ("n_shared_experts", 1),
    "d_expert": ("moe_intermediate_size", 2048), **latent_dims(1024, 256, 64, 64, 128),
}


def build(config: Config, name: str) -> Model:
    """A Mistral 4 from its configuration: an explicit null for q_lora_rank means full queries."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS, nullable=("q_rank",))
    pattern = first_dense(config, values["L"], 0)
    blocks = two_kinds((latent_attention(config, values),), balance=False)
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS)
    return decoder_model(config, name, task, values, blocks, pattern=pattern, tied=tied,
                         final_norm=find("norm", "rmsnorm")(), names=FUSED_EXPERTS)
