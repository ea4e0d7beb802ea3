"""Llama 4, its language model: one expert a token and a shared one, in all or in some layers.

Source: Meta 2025, Llama 4 model card; transformers, models/llama4.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.mixture import HARMLESS, depth_of, mixture_model, numbers_in
from symparam.descriptions.assembling.windows import Sliding, rotated
from symparam.descriptions.config import Config
from symparam.layout import entry
from symparam.model import Model

MODEL_TYPES = ("llama4_text",)
CLASSES = {"Llama4ForCausalLM": "causal", "Llama4TextModel": "base"}
DIMS = {
    "V": ("vocab_size", 202048), "d_model": ("hidden_size", 5120),
    "n_heads": ("num_attention_heads", 40), "n_kv": ("num_key_value_heads", 8),
    "d_head": ("head_dim", 128), "d_ff": ("intermediate_size_mlp", 16384),
    "d_expert": ("intermediate_size", 8192), "n_experts": ("num_local_experts", 16),
    "top_k": ("num_experts_per_tok", 1),
}
FURTHER = frozenset("""
    attention_chunk_size attn_scale attn_temperature_tuning floor_scale for_llm_compressor
    no_rope_layer_interval no_rope_layers use_qk_norm
""".split())
NAMES = (
    entry("*.ffn", "W_router", ".router.weight"),
    entry("*.ffn", "X_gate X_up", ".experts.gate_up_proj", transposed=True),
    entry("*.ffn", "X_down", ".experts.down_proj", transposed=True),
    *(entry("*.ffn", f"S_{part}", f".shared_expert.{part}_proj.weight")
      for part in ("gate", "up", "down")),
)
SLIDING = Sliding(key="attention_chunk_size", default=8192, rule=lambda config, depth: (
    i for i, turned in enumerate(rotated(config, depth)) if turned))


def build(config: Config, name: str) -> Model:
    """The language model of a Llama 4; its norms of query and key heads have no weights."""
    task = config.task(CLASSES, "causal")
    depth = depth_of(config, "num_hidden_layers", 48)
    values = config.dims(DIMS) | {"n_shared": 1}
    pattern = _pattern(config, depth)
    attention = slot("attention", "gqa", bias=config.flag("attention_bias", False))
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS | FURTHER)
    return mixture_model(config, name, task, values, (attention,),
                         (slot("ffn", "moe", "feed_forward.", shared=True),), pattern,
                         dense=(slot("ffn", "swiglu", "feed_forward."),), tied=tied, names=NAMES,
                         windows=SLIDING)


def _pattern(config: Config, depth: int) -> list[str]:
    """Sparse layers as listed, or every ``interleave_moe_layer_step``-th."""
    step = config.count_of("interleave_moe_layer_step", default=1)
    sparse = numbers_in(config, "moe_layers")
    if sparse is None:
        sparse = frozenset(range(step - 1, depth, step))
    return ["sparse" if number in sparse else "dense" for number in range(depth)]
