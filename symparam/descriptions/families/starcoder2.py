"""StarCoder2: LayerNorm, grouped queries with rotary positions, a two-matrix MLP, biases, tied.

Source: Lozhkov et al. 2024, arXiv:2402.19173, table 6; transformers, models/starcoder2.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import classes, decoder_model, slot
from symparam.descriptions.assembling.windows import Sliding
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.layout import entries
from symparam.model import Model

MODEL_TYPES = ("starcoder2",)
CLASSES = classes("Starcoder2")
DIMS = {
    "V": ("vocab_size", 49152), "L": ("num_hidden_layers", 30), "d_model": ("hidden_size", 3072),
    "n_heads": ("num_attention_heads", 24), "d_ff": ("intermediate_size", 12288),
    "n_kv": ("num_key_value_heads", 2), "d_head": ("head_dim", None),
}
HARMLESS = NO_TABLE | {"scale_attention_softmax_in_fp32", "sliding_window"}
NAMES = entries("*.ffn", up="c_fc", down="c_proj")
SLIDING = Sliding()


def build(config: Config, name: str) -> Model:
    """A StarCoder2 from its configuration: one switch for all biases."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    bias = config.flag("use_bias", True)
    tied = config.flag("tie_word_embeddings", True)
    config.only("mlp_type", "default")
    config.only("norm_type", "layer_norm")
    config.close(HARMLESS)
    norm = find("norm", "layernorm")()
    block = (slot("attention", "gqa", bias=bias), slot("ffn", "mlp", bias=bias),
             *norm_slots(norm, 2))
    return decoder_model(config, name, task, values, block, final_norm=norm, tied=tied,
                         names=NAMES, windows=SLIDING)
