"""OLMo Hybrid: Gated DeltaNet layers with an OLMo attention after every three.

Source: Yang et al. 2024, arXiv:2412.06464 (Gated DeltaNet); transformers,
models/olmo_hybrid.
"""

from __future__ import annotations

from dataclasses import replace

from symparam.arithmetic import Rounding
from symparam.component import equation
from symparam.components import find
from symparam.descriptions.assembling.assemble import Block, classes, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.model import Model

MODEL_TYPES = ("olmo_hybrid",)
CLASSES = classes("OlmoHybrid")
DIMS = {
    "V": ("vocab_size", 100352), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 3840),
    "n_heads": ("num_attention_heads", 30), "d_ff": ("intermediate_size", 11008),
    "n_kv": ("num_key_value_heads", None), "d_head": ("head_dim", None),
    "n_key": ("linear_num_key_heads", None), "n_value": ("linear_num_value_heads", None),
    "d_key": ("linear_key_head_dim", None), "d_value": ("linear_value_head_dim", None),
    "k_conv": ("linear_conv_kernel_dim", 4),
}
HARMLESS = NO_TABLE | frozenset("""
    linear_a_log_max linear_a_log_min linear_allow_neg_eigval linear_dt_init_floor linear_dt_max
    linear_dt_min
""".split())
KINDS = {"linear_attention": "linear", "full_attention": "attention", "attention": "attention"}
_ALIKE = "linear attention has as many heads as the other"
RULES = (
    equation("n_key", "n_heads", _ALIKE), equation("n_value", "n_heads", _ALIKE),
    replace(equation("d_key", "3/4*d_model/n_key", "keys of three quarters of the width"),
            rounding=Rounding("down", 1)),
    equation("d_value", "2*d_key", "values are twice as wide as keys"),
)


def build(config: Config, name: str) -> Model:
    """An OLMo Hybrid; norms stand in front of a linear layer's parts and behind an attention's."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    depth = values.pop("L")
    pattern = config.kinds("layer_types", KINDS, depth, lambda i: (
        "full_attention" if i % 4 == 3 or i == depth - 1 < 3 else "linear_attention"))
    blocks = _blocks(config.flag("attention_bias", False))
    tied = config.flag("tie_word_embeddings", False)
    config.only("linear_use_gate", True)
    config.close(HARMLESS)
    return decoder_model(config, name, task, values, blocks, pattern=pattern,
                         final_norm=find("norm", "rmsnorm")(), tied=tied, equations=RULES)


def _blocks(bias: bool) -> dict[str, Block]:
    ffn = slot("ffn", "swiglu")
    return {
        "linear": (slot("mixer", "gated-delta-net"), ffn,
                   *norm_slots(find("norm", "rmsnorm")(), 2)),
        "attention": (slot("attention", "gqa", bias=bias), slot("qk-norm", "width"), ffn,
                      slot("norms.attention_out", "rmsnorm", "post_attention_layernorm."),
                      slot("norms.ffn_out", "rmsnorm", "post_feedforward_layernorm.")),
    }
