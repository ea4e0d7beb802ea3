"""Phi-3.5-MoE: sixteen experts, whole LayerNorms, biases of attention and head where asked for.

Source: Abdin et al. 2024, arXiv:2404.14219, section 6; transformers, models/phimoe.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import FUSED_EXPERTS, classes, slot
from symparam.descriptions.assembling.mixture import HARMLESS, mixture_model, with_head_width
from symparam.descriptions.assembling.windows import Sliding
from symparam.descriptions.config import Config
from symparam.layout import entry
from symparam.model import Model

MODEL_TYPES = ("phimoe",)
CLASSES = classes("Phimoe", "PhiMoE")
DIMS = {
    "V": ("vocab_size", 32064), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 32), "n_kv": ("num_key_value_heads", 8),
    "d_head": ("head_dim", None), "d_expert": ("intermediate_size", 6400),
    "n_experts": ("num_local_experts", 16), "top_k": ("num_experts_per_tok", 2),
}
NAMES = (*FUSED_EXPERTS, entry("*.ffn", "W_router", ".router.weight"))
SLIDING = Sliding()


def build(config: Config, name: str) -> Model:
    """A Phi with experts from its configuration."""
    task = config.task(CLASSES, "causal")
    values = with_head_width(config.dims(DIMS))
    attention = slot("attention", "gqa", bias=config.flag("attention_bias", False))
    head_bias = config.flag("lm_head_bias", False)
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS | {"input_jitter_noise"})
    return mixture_model(config, name, task, values, (attention,), (slot("ffn", "moe"),),
                         norm="layernorm", tied=tied, head_bias=head_bias, names=NAMES,
                         windows=SLIDING)
