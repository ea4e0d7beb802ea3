"""Qwen 3 with experts: norms of query and key heads, no shared expert, some layers dense.

Source: Yang et al. 2025, arXiv:2505.09388, section 2; transformers, models/qwen3_moe and
models/qwen3_vl_moe.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import classes, slot
from symparam.descriptions.assembling.mixture import (
    HARMLESS,
    depth_of,
    every_step,
    mixture_model,
    with_head_width,
)
from symparam.descriptions.assembling.windows import Sliding
from symparam.descriptions.config import Config
from symparam.model import Model

CLASSES = {"qwen3_moe": classes("Qwen3Moe"), "qwen3_vl_moe_text": {"Qwen3VLMoeTextModel": "base"}}
MODEL_TYPES = tuple(CLASSES)
DIMS = {
    "V": ("vocab_size", 151936), "d_model": ("hidden_size", 2048),
    "n_heads": ("num_attention_heads", 32), "n_kv": ("num_key_value_heads", 4),
    "d_head": ("head_dim", None), "d_ff": ("intermediate_size", 6144),
    "n_experts": ("num_experts", "num_local_experts", 128), "top_k": ("num_experts_per_tok", 8),
    "d_expert": ("moe_intermediate_size", 768),
}
VL_DIMS = DIMS | {
    "n_heads": ("num_attention_heads", 16), "n_kv": ("num_key_value_heads", 16),
    "d_ff": ("intermediate_size", 5632), "n_experts": ("num_experts", "num_local_experts", 60),
    "top_k": ("num_experts_per_tok", 4), "d_expert": ("moe_intermediate_size", 1408),
}
SLIDING = Sliding(default=4096, switch="use_sliding_window", listed="")


def build(config: Config, name: str) -> Model:
    """A Qwen 3 with experts; a head is d_model/n_heads wide unless the configuration says so."""
    inside = config.model_type == "qwen3_vl_moe_text"
    task = config.task(CLASSES[config.model_type], "base" if inside else "causal")
    depth = depth_of(config, "num_hidden_layers", 24)
    values = with_head_width(config.dims(VL_DIMS if inside else DIMS))
    pattern = every_step(config, depth)
    attention = slot("attention", "gqa", bias=config.flag("attention_bias", False), qk_norm=True)
    tied = config.flag("tie_word_embeddings", False)
    config.only("qkv_bias", False)  # keys of Qwen 2's code, which this one does not read
    config.only("shared_expert_intermediate_size", 0, None)
    config.only("use_qk_norm", True)
    config.close(HARMLESS)
    return mixture_model(config, name, task, values, (attention,), (slot("ffn", "moe"),), pattern,
                         tied=tied, windows=None if inside else SLIDING)
