"""MiMo: Qwen 2's block; its multi-token-prediction layers stand in a list of their own.

Source: LLM-Core Xiaomi 2025, arXiv:2505.07608, section 2.2; modeling_mimo.py as published with
XiaomiMiMo/MiMo-7B-Base; transformers, models/qwen2.
"""

from __future__ import annotations

from dataclasses import replace

from symparam.components import find
from symparam.descriptions.assembling.assemble import classes, decoder_model, slot
from symparam.descriptions.assembling.mtp import count_mtp, with_mtp
from symparam.descriptions.assembling.windows import Sliding, from_layer
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.layout import entry
from symparam.model import Model

MODEL_TYPES = ("mimo",)
CLASSES = classes("MiMo")
DIMS = {
    "V": ("vocab_size", 151936), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 32), "d_ff": ("intermediate_size", 22016),
    "n_kv": ("num_key_value_heads", 32), "d_head": ("head_dim", None),
}
HARMLESS = NO_TABLE | frozenset("""
    attention_bias layer_types max_window_layers sliding_window use_mrope use_sliding_window
""".split())  # Qwen 2's biases are there whatever attention_bias says
SLIDING = Sliding(default=4096, switch="use_sliding_window", rule=from_layer(
    "max_window_layers", 28))
MTP_NAMES = tuple(entry("*.mtp", matrix, f".{tensor}.weight") for matrix, tensor in (
    ("g_embed", "token_layernorm"), ("g_state", "hidden_layernorm"), ("W_join", "input_proj"),
    ("g_out", "final_layernorm")))


def build(config: Config, name: str) -> Model:
    """A MiMo from its configuration; null key-value heads mean one for each query head."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS, nullable=("n_kv",))
    tied = config.flag("tie_word_embeddings", False)
    further = count_mtp(config, task)
    config.close(HARMLESS)
    norm = find("norm", "rmsnorm")()
    block = (slot("attention", "gqa", bias=["qkv"]), slot("ffn", "swiglu"), *norm_slots(norm, 2))
    model = decoder_model(config, name, task, values, block, final_norm=norm, tied=tied,
                          windows=SLIDING, names=MTP_NAMES if further else ())
    if not further:
        return model
    *stacks, last = with_mtp(model, further).stacks
    own = replace(last, prefix="model.mtp_layers.*.", numbers=tuple(range(further)))
    return replace(model, stacks=(*stacks, own), values={**model.values, "L_mtp": further})
