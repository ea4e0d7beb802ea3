"""BitNet b1.58: Llama's block with a norm more in front of each part's last matrix.

Its weights are ternary when they are used; the count is of the numbers, whatever their width.

Source: Ma et al. 2024, arXiv:2402.17764; Ma et al. 2025, arXiv:2504.12285, section 2;
transformers, models/bitnet.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import classes, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.model import Model

MODEL_TYPES = ("bitnet",)
CLASSES = classes("BitNet")
DIMS = {
    "V": ("vocab_size", 128256), "L": ("num_hidden_layers", 30), "d_model": ("hidden_size", 2560),
    "n_heads": ("num_attention_heads", 20), "d_ff": ("intermediate_size", 6912),
    "n_kv": ("num_key_value_heads", 5), "d_head": ("head_dim", None),
}


def build(config: Config, name: str) -> Model:
    """A BitNet from its configuration: the norm before ``W_O`` is over d_model."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS, nullable=("n_kv",))
    bias = config.flag("attention_bias", False)
    tied = config.flag("tie_word_embeddings", False)
    config.close(NO_TABLE)
    norm = find("norm", "rmsnorm")()
    block = (slot("attention", "gqa", bias=bias), slot("ffn", "swiglu"), *norm_slots(norm, 2),
             slot("norms.attention_inner", "rmsnorm", "self_attn.attn_sub_norm."),
             slot("norms.ffn_inner", "rmsnorm", "mlp.ffn_sub_norm.", {"d_model": "d_ff"}))
    return decoder_model(config, name, task, values, block, final_norm=norm, tied=tied)
