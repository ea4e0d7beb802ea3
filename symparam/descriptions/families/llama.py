"""LLaMA and what follows it: RMSNorm, rotary positions, SwiGLU, grouped queries from LLaMA 2 on.

Source: Touvron et al. 2023, arXiv:2302.13971 and arXiv:2307.09288; transformers, models/llama.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import classes, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.model import Model

MODEL_TYPES = ("llama",)
CLASSES = classes("Llama", LLaMAForCausalLM="causal")
DIMS = {
    "V": ("vocab_size", 32000), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 32), "d_ff": ("intermediate_size", 11008),
    "n_kv": ("num_key_value_heads", None), "d_head": ("head_dim", None),
}
HARMLESS = NO_TABLE | {"max_sequence_length"}


def build(config: Config, name: str) -> Model:
    """A LLaMA from its configuration: key-value heads and head width follow where missing."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    attention = slot("attention", "gqa", bias=config.flag("attention_bias", False))
    ffn = slot("ffn", "swiglu", bias=config.flag("mlp_bias", False))
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS)
    norm = find("norm", "rmsnorm")()
    return decoder_model(config, name, task, values, (attention, ffn, *norm_slots(norm, 2)),
                         final_norm=norm, tied=tied)
