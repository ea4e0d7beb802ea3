"""MiniCPM and MiniCPM4: LLaMA's block with scaled embeddings and residuals; the head is tied.

What is attended to sparsely in MiniCPM4 is chosen without weights of its own.

Source: Hu et al. 2024, arXiv:2404.06395; MiniCPM team 2025, arXiv:2506.07900; modeling_minicpm.py
as published with openbmb/MiniCPM-2B-sft-bf16 and openbmb/MiniCPM4-8B.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import classes, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.model import Model

MODEL_TYPES = ("minicpm",)
CLASSES = classes("MiniCPM")
DIMS = {
    "V": ("vocab_size", 32000), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 32), "d_ff": ("intermediate_size", 11008),
    "n_kv": ("num_key_value_heads", None),
}
HARMLESS = NO_TABLE | frozenset("""
    dim_model_base mup_denominator scale_depth scale_emb sparse_config
""".split())


def build(config: Config, name: str) -> Model:
    """A MiniCPM from its configuration: tied unless it says otherwise."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    attention = slot("attention", "gqa", bias=config.flag("attention_bias", False))
    tied = config.flag("tie_word_embeddings", True)
    config.only("num_experts", 0, None)  # those with experts are another model
    config.close(HARMLESS)
    norm = find("norm", "rmsnorm")()
    return decoder_model(config, name, task, values, (attention, slot("ffn", "swiglu"),
                                                      *norm_slots(norm, 2)),
                         final_norm=norm, tied=tied)
