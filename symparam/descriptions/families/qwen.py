"""Qwen 1.5 to Qwen 3, the dense ones: biases on queries, keys and values, later head norms.

Qwen 2's biases on queries, keys and values are always there, in Qwen 2-VL too. Qwen 3 has a norm
of each query and key head instead, and biases only where the configuration asks for them.

Source: Yang et al. 2024, arXiv:2407.10671 (Qwen 2); Yang et al. 2025, arXiv:2505.09388 (Qwen 3);
transformers, models/qwen2, models/qwen3, and the language models of qwen2_vl, qwen2_5_vl, qwen3_vl.
"""

from __future__ import annotations

from typing import Any

from symparam.components import find
from symparam.descriptions.assembling.assemble import classes, decoder_model, slot
from symparam.descriptions.assembling.windows import Sliding, from_layer
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.model import Model

DIMS = {
    "V": ("vocab_size", 151936), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 32), "d_ff": ("intermediate_size", 22016),
    "n_kv": ("num_key_value_heads", 32), "d_head": ("head_dim", None),
}
QWEN3_DIMS = DIMS | {"d_head": ("head_dim", 128)}
#: Heads split the width, and no key says otherwise.
VL_DIMS = {
    "V": ("vocab_size", 152064), "L": ("num_hidden_layers", 80), "d_model": ("hidden_size", 8192),
    "n_heads": ("num_attention_heads", 64), "d_ff": ("intermediate_size", 29568),
    "n_kv": ("num_key_value_heads", 8),
}
CLASSES = {"qwen2": classes("Qwen2"), "qwen3": classes("Qwen3"),
           "qwen2_vl_text": {"Qwen2VLTextModel": "base"},
           "qwen2_5_vl_text": {"Qwen2_5_VLTextModel": "base"},
           "qwen3_vl_text": {"Qwen3VLTextModel": "base"}}
SIZES: dict[str, dict[str, tuple[Any, ...]]] = {
    "qwen2": DIMS, "qwen3": QWEN3_DIMS, "qwen2_vl_text": VL_DIMS, "qwen2_5_vl_text": VL_DIMS,
    "qwen3_vl_text": QWEN3_DIMS}
MODEL_TYPES = tuple(CLASSES)
HARMLESS = NO_TABLE | frozenset("""
    layer_types max_window_layers sliding_window use_mrope use_sliding_window
""".split())
SLIDING = {kind: Sliding(default=4096, switch="use_sliding_window", rule=from_layer(
    "max_window_layers", 80 if "vl" in kind else 28))
    for kind in CLASSES if kind != "qwen3_vl_text"}


def build(config: Config, name: str) -> Model:
    """A dense Qwen from its configuration; null key-value heads mean one for each query head."""
    kind = config.model_type
    task = config.task(CLASSES[kind], "base" if kind.endswith("_text") else "causal")
    values = config.dims(SIZES[kind], nullable=("n_kv",))
    if kind.startswith("qwen3"):
        attention = slot("attention", "gqa", bias=config.flag("attention_bias", False),
                         qk_norm=True)
    else:
        config.only("attention_bias", True)
        attention = slot("attention", "gqa", bias=["qkv"])
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS)
    norm = find("norm", "rmsnorm")()
    block = (attention, slot("ffn", "swiglu"), *norm_slots(norm, 2))
    return decoder_model(config, name, task, values, block, final_norm=norm, tied=tied,
                         windows=SLIDING.get(kind))
