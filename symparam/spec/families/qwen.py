"""Qwen 1.5 to Qwen 3, the dense ones: biases on queries, keys and values, later head norms.

Qwen 2's biases on queries, keys and values are always there; Qwen 3 has a norm of each query and
key head instead, and biases only where the configuration asks for them.

Source: Yang et al. 2024, arXiv:2407.10671 (Qwen 2); Yang et al. 2025, arXiv:2505.09388 (Qwen 3);
transformers, models/qwen2 and models/qwen3.
"""

from __future__ import annotations

from symparam.components import find
from symparam.model import Model
from symparam.spec.assemble import classes, decoder_model, slot
from symparam.spec.config import Config
from symparam.spec.options import norm_slots

STEMS = {"qwen2": "Qwen2", "qwen3": "Qwen3"}
MODEL_TYPES = tuple(STEMS)
DIMS = {
    "V": ("vocab_size", 151936), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 32), "d_ff": ("intermediate_size", 22016),
    "n_kv": ("num_key_value_heads", 32), "d_head": ("head_dim", None),
}
QWEN3_DIMS = DIMS | {"d_head": ("head_dim", 128)}
HARMLESS = frozenset("""
    attention_dropout hidden_act layer_types max_position_embeddings max_window_layers
    partial_rotary_factor pretraining_tp rms_norm_eps rope_parameters rope_scaling rope_theta
    sliding_window use_mrope use_sliding_window
""".split())


def build(config: Config, name: str) -> Model:
    """A dense Qwen from its configuration; null key-value heads mean one for each query head."""
    task = config.task(classes(STEMS[config.model_type]), "causal")
    if config.model_type == "qwen2":
        values = config.dims(DIMS, nullable=("n_kv",))
        config.only("attention_bias", True)
        attention = slot("attention", "gqa", bias=["qkv"])
    else:
        values = config.dims(QWEN3_DIMS, nullable=("n_kv",))
        attention = slot("attention", "gqa", bias=config.flag("attention_bias", False),
                         qk_norm=True)
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS)
    norm = find("norm", "rmsnorm")()
    block = (attention, slot("ffn", "swiglu"), *norm_slots(norm, 2))
    return decoder_model(config, name, task, values, block, final_norm=norm, tied=tied)
