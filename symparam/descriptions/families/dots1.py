"""dots.llm1: many experts with shared ones, norms of query and key heads.

Source: rednote-hilab 2025, arXiv:2506.05767; transformers, models/dots1.
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
from symparam.descriptions.assembling.windows import Sliding, from_layer
from symparam.descriptions.config import Config
from symparam.model import Model

MODEL_TYPES = ("dots1",)
CLASSES = classes("Dots1")
DIMS = {
    "V": ("vocab_size", 152064), "d_model": ("hidden_size", 4608),
    "n_heads": ("num_attention_heads", 32), "n_kv": ("num_key_value_heads", 32),
    "d_head": ("head_dim", None), "d_ff": ("intermediate_size", 10944),
    "d_expert": ("moe_intermediate_size", 1408),
}
EXPERTS = {"n_experts": ("n_routed_experts", "num_local_experts"),
           "top_k": ("num_experts_per_tok",), "n_shared": ("n_shared_experts",)}
FURTHER = frozenset({"scoring_func", "topk_method"})
SLIDING = Sliding(default=4096, rule=from_layer("max_window_layers", 62))


def build(config: Config, name: str) -> Model:
    """A dots.llm1 from its configuration; how many experts there are has no default."""
    task = config.task(CLASSES, "causal")
    depth = depth_of(config, "num_hidden_layers", 62)
    values = with_head_width(config.dims(DIMS, nullable=("n_kv",)))
    pattern = first_dense(config, depth, 0)
    for dim, keys in EXPERTS.items():
        if "sparse" in pattern:
            values[dim] = config.count_of(*keys)
        config.read.update(keys)
    attention = slot("attention", "gqa", bias=config.flag("attention_bias", False), qk_norm=True)
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS | FURTHER)
    return mixture_model(config, name, task, values, (attention,),
                         (slot("ffn", "moe", balance=True, shared=True),), pattern, tied=tied,
                         windows=SLIDING)
