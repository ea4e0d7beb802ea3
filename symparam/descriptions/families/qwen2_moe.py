"""Qwen 1.5 and Qwen 2 with experts: many small ones, a gated shared one, some layers dense.

Source: Yang et al. 2024, arXiv:2407.10671, section 2.2.2; transformers, models/qwen2_moe.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import FUSED_EXPERTS, classes, slot
from symparam.descriptions.assembling.mixture import (
    HARMLESS,
    depth_of,
    every_step,
    mixture_model,
    with_head_width,
)
from symparam.descriptions.assembling.windows import Sliding
from symparam.descriptions.config import Config
from symparam.layout import entry
from symparam.model import Model

MODEL_TYPES = ("qwen2_moe",)
CLASSES = classes("Qwen2Moe")
DIMS = {
    "V": ("vocab_size", 151936), "d_model": ("hidden_size", 2048),
    "n_heads": ("num_attention_heads", 16), "n_kv": ("num_key_value_heads", 16),
    "d_head": ("head_dim", None), "d_ff": ("intermediate_size", 5632),
    "n_experts": ("num_experts", 60), "top_k": ("num_experts_per_tok", 4),
    "d_expert": ("moe_intermediate_size", 1408),
    "d_shared": ("shared_expert_intermediate_size", 5632),
}
SHARED = tuple(entry("*.ffn", f"S_{part}", f".shared_expert.{part}_proj.weight")
               for part in ("gate", "up", "down"))
SLIDING = Sliding(default=4096, switch="use_sliding_window", rule=lambda config, depth: (
    range(0, min(depth, config.number("max_window_layers", 28)), 2)))


def build(config: Config, name: str) -> Model:
    """A Qwen with experts from its configuration; one shared expert, as wide as it says."""
    task = config.task(CLASSES, "causal")
    depth = depth_of(config, "num_hidden_layers", 24)
    values = with_head_width(config.dims(DIMS))
    pattern = every_step(config, depth)
    attention = slot("attention", "gqa", bias=["qkv"] if config.flag("qkv_bias", True) else [])
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS)
    return mixture_model(config, name, task, values, (attention,),
                         (slot("ffn", "moe", shared=True, shared_gate=True),), pattern,
                         tied=tied, names=(*FUSED_EXPERTS, *SHARED), windows=SLIDING)
