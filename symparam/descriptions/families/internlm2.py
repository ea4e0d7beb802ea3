"""InternLM 2 and 2.5, and InternLM: LLaMA's block with biases on attention, named otherwise in 2.

Source: Cai et al. 2024, arXiv:2403.17297, section 2.2; modeling_internlm2.py and
modeling_internlm.py as published with internlm/internlm2_5-7b-chat and internlm/internlm-7b.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import Block, Places, classes, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.layout import entries, entry
from symparam.model import Model

MODEL_TYPES = ("internlm2", "internlm")
CLASSES = {"internlm2": classes("InternLM2"), "internlm": classes("InternLM")}
DIMS = {
    "V": ("vocab_size", 103168), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 32), "d_ff": ("intermediate_size", 11008),
}
HARMLESS = NO_TABLE | {"rotary"}
PLACES = Places(token="tok_embeddings.", head="output.")
NAMES = (entry("*.attention", "W_Q W_K W_V", ".wqkv.weight"),
         entry("*.attention", "b_Q b_K b_V", ".wqkv.bias"), *entries("*.attention", O="wo"),
         *entries("*.ffn", gate="w1", down="w2", up="w3"))


def build(config: Config, name: str) -> Model:
    """An InternLM from its configuration: one key for the biases of all four projections."""
    second = config.model_type == "internlm2"
    task = config.task(CLASSES[config.model_type], "causal")
    values = config.dims(DIMS | {"n_kv": ("num_key_value_heads", None)} if second else DIMS)
    bias = config.flag("bias", True)
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS)
    norm = find("norm", "rmsnorm")()
    block: Block
    if second:
        block = (slot("attention", "gqa", "attention.", bias=bias),
                 slot("ffn", "swiglu", "feed_forward."),
                 slot("norms.attention", "rmsnorm", "attention_norm."),
                 slot("norms.ffn", "rmsnorm", "ffn_norm."))
        return decoder_model(config, name, task, values, block, final_norm=norm, tied=tied,
                             places=PLACES, names=NAMES)
    block = (slot("attention", "mha", bias=bias), slot("ffn", "swiglu"), *norm_slots(norm, 2))
    return decoder_model(config, name, task, values, block, final_norm=norm, tied=tied)
