"""GLM-4: grouped queries with biases, half of a head rotated, gate and up in one tensor.

The GLM-4-0414 models (``glm4``) have two norms more in a block, behind attention and behind
feed-forward.

Source: Zeng et al. 2024, arXiv:2406.12793; transformers, models/glm and models/glm4.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import classes, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.layout import entry
from symparam.model import Model

MODEL_TYPES = ("glm", "glm4")
CLASSES = classes("Glm", "Glm4")
DIMS = {
    "V": ("vocab_size", 151552), "L": ("num_hidden_layers", 40), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 32), "d_ff": ("intermediate_size", 13696),
    "n_kv": ("num_key_value_heads", 2), "d_head": ("head_dim", 128),
}
NAMES = (entry("*.ffn", "W_gate W_up", ".gate_up_proj.weight"),)
FOUR_NORMS = (slot("norms.attention", "rmsnorm", "input_layernorm."),
              slot("norms.attention_out", "rmsnorm", "post_self_attn_layernorm."),
              slot("norms.ffn", "rmsnorm", "post_attention_layernorm."),
              slot("norms.ffn_out", "rmsnorm", "post_mlp_layernorm."))


def build(config: Config, name: str) -> Model:
    """A GLM-4 from its configuration: biases on QKV alone."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    bias = ["qkv"] if config.flag("attention_bias", True) else []
    tied = config.flag("tie_word_embeddings", False)
    config.close(NO_TABLE)
    norm = find("norm", "rmsnorm")()
    norms = FOUR_NORMS if config.model_type == "glm4" else norm_slots(norm, 2)
    block = (slot("attention", "gqa", bias=bias), slot("ffn", "swiglu"), *norms)
    return decoder_model(config, name, task, values, block, final_norm=norm, tied=tied,
                         names=NAMES)
