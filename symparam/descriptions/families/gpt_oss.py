"""GPT-OSS: experts with biases in transposed storage, attention with sinks.

Source: OpenAI 2025, arXiv:2508.10925; transformers, models/gpt_oss.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import classes, slot
from symparam.descriptions.assembling.mixture import HARMLESS, mixture_model
from symparam.descriptions.assembling.windows import Sliding, all_but_every
from symparam.descriptions.config import Config
from symparam.layout import entry
from symparam.model import Model

MODEL_TYPES = ("gpt_oss",)
CLASSES = classes("GptOss")
DIMS = {
    "V": ("vocab_size", 201088), "L": ("num_hidden_layers", 36), "d_model": ("hidden_size", 2880),
    "n_heads": ("num_attention_heads", 64), "n_kv": ("num_key_value_heads", 8),
    "d_head": ("head_dim", 64), "d_expert": ("intermediate_size", 2880),
    "n_experts": ("num_local_experts", "num_experts", 128),
    "top_k": ("num_experts_per_tok", "experts_per_token", 4),
}
FURTHER = frozenset({"initial_context_length", "swiglu_alpha"})
NAMES = (
    entry("*.ffn", "W_router", ".router.weight"), entry("*.ffn", "b_router", ".router.bias"),
    entry("*.ffn", "X_gate X_up", ".experts.gate_up_proj", transposed=True),
    entry("*.ffn", "X_down", ".experts.down_proj", transposed=True),
    entry("*.ffn", "c_gate c_up", ".experts.gate_up_proj_bias"),
    entry("*.ffn", "c_down", ".experts.down_proj_bias"),
)
SLIDING = Sliding(default=128, rule=all_but_every(2))


def build(config: Config, name: str) -> Model:
    """A GPT-OSS from its configuration: sinks in layers with and without a window."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    attention = slot("attention", "gqa", bias=config.flag("attention_bias", True))
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS | FURTHER)
    return mixture_model(config, name, task, values, (attention, slot("sinks", "learned")),
                         (slot("ffn", "moe", bias=True),), tied=tied, names=NAMES, windows=SLIDING)
