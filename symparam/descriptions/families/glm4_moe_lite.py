"""GLM-4.7-Flash: latent attention, a mixture in all layers but the first.

Source: transformers, models/glm4_moe_lite.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import classes
from symparam.descriptions.assembling.latent import latent_dims
from symparam.descriptions.assembling.mtp import count_mtp
from symparam.descriptions.config import Config
from symparam.descriptions.families.deepseek import latent_mixture
from symparam.model import Model

MODEL_TYPES = ("glm4_moe_lite",)
CLASSES = classes("Glm4MoeLite")
DIMS = {
    "V": ("vocab_size", 154880), "L": ("num_hidden_layers", 47), "d_model": ("hidden_size", 2048),
    "n_heads": ("num_attention_heads", 20), "d_ff": ("intermediate_size", 10240),
    "n_experts": ("n_routed_experts", "num_local_experts", 64),
    "top_k": ("num_experts_per_tok", 4), "n_shared": ("n_shared_experts", 1),
    "d_expert": ("moe_intermediate_size", 1536), **latent_dims(768, 512, 192, 64, 256),
    "d_rope": ("qk_rope_head_dim", "head_dim", 64),
}


def build(config: Config, name: str) -> Model:
    """A GLM-4.7-Flash from its configuration: null for q_lora_rank means full queries."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS, nullable=("q_rank",))
    config.only("first_k_dense_replace", 1)  # this code has one dense layer unless it has a list
    pattern = config.kinds("mlp_layer_types", {"dense": "dense", "sparse": "sparse"}, values["L"],
                           lambda number: "sparse" if number else "dense")
    further = count_mtp(config, task, pattern)
    return latent_mixture(config, name, task, values, pattern, further)
