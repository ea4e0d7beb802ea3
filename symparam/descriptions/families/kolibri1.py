"""Kolibri 1: experts in every layer with a shared one, head norms, four norms a block.

Source: transformers, models/kolibri1.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import classes, slot
from symparam.descriptions.assembling.mixture import HARMLESS, depth_of, mixture_model
from symparam.descriptions.assembling.windows import Sliding, all_but_every
from symparam.descriptions.config import Config
from symparam.model import Model

MODEL_TYPES = ("kolibri1",)
CLASSES = classes("Kolibri1")
DIMS = {
    "V": ("vocab_size", 128000), "d_model": ("hidden_size", 2560),
    "n_heads": ("num_attention_heads", 48), "n_kv": ("num_key_value_heads", 4),
    "d_head": ("head_dim", 128), "d_expert": ("moe_intermediate_size", 512),
    "n_experts": ("num_experts", "num_local_experts", 384), "top_k": ("num_experts_per_tok", 6),
    "d_shared": ("shared_expert_intermediate_size", 512),
}
LAYER_TYPES = {"sliding_attention": "alike", "full_attention": "alike"}
NORMS = (slot("norms.attention", "rmsnorm", "input_layernorm."),
         slot("norms.attention_out", "rmsnorm", "post_self_attn_layernorm."),
         slot("norms.ffn", "rmsnorm", "post_attention_layernorm."),
         slot("norms.ffn_out", "rmsnorm", "post_mlp_layernorm."))
SLIDING = Sliding(default=513, rule=all_but_every(5))


def build(config: Config, name: str) -> Model:
    """A Kolibri from its configuration: the balancing vector of a router is a buffer."""
    task = config.task(CLASSES, "causal")
    depth = depth_of(config, "num_hidden_layers", 50)
    values = config.dims(DIMS) | {"L": depth}
    config.kinds("layer_types", LAYER_TYPES, depth, lambda _: "full_attention")
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS)
    return mixture_model(config, name, task, values, (slot("attention", "gqa", qk_norm=True),),
                         (slot("ffn", "moe", shared=True, balance=True),), tied=tied,
                         norms=NORMS, windows=SLIDING)
