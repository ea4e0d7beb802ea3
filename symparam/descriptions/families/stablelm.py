"""Stable LM: LayerNorm, rotary positions on part of a head, SwiGLU; biases on QKV in version 2.

The 12B model of version 2 has one norm a block, in front of attention and feed-forward at once,
and a norm of its own for each head.

Source: Bellagente et al. 2024, arXiv:2402.17834; transformers, models/stablelm.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import classes, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.model import Model

MODEL_TYPES = ("stablelm",)
CLASSES = classes("StableLm")
DIMS = {
    "V": ("vocab_size", 50304), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 2560),
    "n_heads": ("num_attention_heads", 32), "d_ff": ("intermediate_size", 6912),
    "n_kv": ("num_key_value_heads", 32),
}
HARMLESS = NO_TABLE | {"rope_pct", "rotary_scaling_factor"}


def build(config: Config, name: str) -> Model:
    """A Stable LM from its configuration; a parallel block has one norm."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    bias = ["qkv"] if config.flag("use_qkv_bias", False) else []
    head_norms = config.flag("qk_layernorm", False)
    parallel = config.flag("use_parallel_residual", False)
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS)
    norm = find("norm", "layernorm")()
    block = (slot("attention", "gqa", bias=bias),
             *([slot("qk-norm", "head-list")] if head_norms else []),
             slot("ffn", "swiglu"), *norm_slots(norm, 1 if parallel else 2))
    return decoder_model(config, name, task, values, block, final_norm=norm, tied=tied)
