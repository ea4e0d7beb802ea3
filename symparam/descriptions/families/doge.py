"""Doge: Llama's block with a mask from the values, head norms, and gains on both residuals.

Its mixtures have a dense network and very many experts of one neuron each beside it.

Source: Shi et al. 2024, arXiv:2412.11834; transformers, models/doge.
"""

from __future__ import annotations

import math

from symparam.components import find
from symparam.descriptions.assembling.assemble import classes, decoder_model, slot
from symparam.descriptions.assembling.windows import Sliding
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.model import Model
from symparam.stack import Slot

MODEL_TYPES = ("doge",)
CLASSES = classes("Doge")
DIMS = {
    "V": ("vocab_size", 32768), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 1024),
    "n_heads": ("num_attention_heads", 8), "d_ff": ("intermediate_size", 2048),
    "n_kv": ("num_key_value_heads", None), "d_head": ("head_dim", None),
}
HARMLESS = NO_TABLE | {"keep_window_size", "sliding_window"}
EXPERTS = {"n_experts": ("num_experts", 16384), "top_k": ("num_experts_per_tok", 64)}


def _ffn(config: Config, values: dict[str, int]) -> Slot:
    """The dense network, or the mixture with the dims that it needs."""
    experts = config.dims(EXPERTS)  # there in dense models too
    bias = config.flag("mlp_bias", False)
    if not config.flag("is_moe", False):
        return slot("ffn", "swiglu", bias=bias)
    values |= experts | {"n_keys": math.isqrt(experts["n_experts"])}
    return slot("ffn", "cross-domain", bias=bias)
SLIDING = Sliding()


def build(config: Config, name: str) -> Model:
    """A Doge from its configuration."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    bias = config.flag("attention_bias", False)
    tied = config.flag("tie_word_embeddings", False)
    ffn = _ffn(config, values)
    config.close(HARMLESS)
    norm = find("norm", "rmsnorm")()
    block = (slot("attention", "gqa", bias=bias, qk_norm=True),
             slot("mask", "dynamic", bias=bias), ffn, *norm_slots(norm, 2),
             slot("residual.attention", "scale", "input_residual"),
             slot("residual.ffn", "scale", "post_attention_residual"))
    return decoder_model(config, name, task, values, block, final_norm=norm, tied=tied,
                         windows=SLIDING)
