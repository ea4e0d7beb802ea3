"""GLM-4.5 and 4.6: ordinary attention, many experts and a shared one after dense layers.

Source: GLM-4.5 team 2025, arXiv:2508.06471, section 2.1; transformers, models/glm4_moe.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import classes, slot
from symparam.descriptions.assembling.latent import first_dense
from symparam.descriptions.assembling.mixture import (
    HARMLESS,
    depth_of,
    mixture_model,
    with_head_width,
)
from symparam.descriptions.assembling.mtp import count_mtp, with_mtp
from symparam.descriptions.config import Config
from symparam.model import Model

MODEL_TYPES = ("glm4_moe",)
CLASSES = classes("Glm4Moe")
DIMS = {
    "V": ("vocab_size", 151552), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 96), "n_kv": ("num_key_value_heads", 8),
    "d_head": ("head_dim", None), "d_ff": ("intermediate_size", 10944),
    "n_experts": ("n_routed_experts", "num_local_experts", 128),
    "top_k": ("num_experts_per_tok", 8), "n_shared": ("n_shared_experts", 1),
    "d_expert": ("moe_intermediate_size", 1408),
}
FURTHER = frozenset({"scoring_func", "topk_method"})


def build(config: Config, name: str) -> Model:
    """A GLM-4.5 from its configuration: biases of queries, keys and values, none of the output."""
    task = config.task(CLASSES, "causal")
    depth = depth_of(config, "num_hidden_layers", 46)
    values = with_head_width(config.dims(DIMS))
    pattern = first_dense(config, depth, 1)
    attention = slot("attention", "gqa", qk_norm=config.flag("use_qk_norm", False),
                     bias=["qkv"] if config.flag("attention_bias", False) else [])
    tied = config.flag("tie_word_embeddings", False)
    further = count_mtp(config, task, pattern, 1)
    config.close(HARMLESS | FURTHER)
    model = mixture_model(config, name, task, values, (attention,),
                          (slot("ffn", "moe", balance=True, shared=True),), pattern, tied=tied)
    return with_mtp(model, further)
