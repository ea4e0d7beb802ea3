"""ERNIE 4.5 with experts: a frozen balancing vector, shared experts, one switch for all biases.

Source: Baidu-ERNIE-Team 2025, ERNIE 4.5 Technical Report, section 2; transformers,
models/ernie4_5_moe.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import FUSED_EXPERTS, Block, classes, slot
from symparam.descriptions.assembling.mixture import (
    HARMLESS,
    depth_of,
    leave_out_mtp,
    mixture_model,
    with_head_width,
)
from symparam.descriptions.config import Config
from symparam.layout import entry
from symparam.model import Model

MODEL_TYPES = ("ernie4_5_moe",)
CLASSES = classes("Ernie4_5_Moe")
DIMS = {
    "V": ("vocab_size", 103424), "d_model": ("hidden_size", 2560),
    "n_heads": ("num_attention_heads", 20), "n_kv": ("num_key_value_heads", 4),
    "d_head": ("head_dim", None), "d_ff": ("intermediate_size", 12288),
    "d_expert": ("moe_intermediate_size", 1536),
    "n_experts": ("moe_num_experts", "num_experts", 64),
    "top_k": ("moe_k", "num_experts_per_tok", 6),
}
FURTHER = frozenset("compression_ratio moe_capacity moe_gate moe_norm_min".split())
NAMES = (*FUSED_EXPERTS, entry("*.balance", "e", ".gate.moe_statics.e_score_correction_bias"))


def build(config: Config, name: str) -> Model:
    """An ERNIE 4.5 with experts; they have no biases, the shared ones have with the others."""
    task = config.task(CLASSES, "causal")
    depth = depth_of(config, "num_hidden_layers", 28)
    values = with_head_width(config.dims(DIMS))
    pattern = _pattern(config, depth)
    bias = config.flag("use_bias", False)
    shared = config.number("moe_num_shared_experts", 2)
    if shared:
        values["n_shared"] = shared
    tied = config.flag("tie_word_embeddings", True)
    config.only("moe_use_aux_free", True)
    leave_out_mtp(config, "num_nextn_predict_layers")
    config.close(HARMLESS | FURTHER)
    return mixture_model(config, name, task, values, (slot("attention", "gqa", bias=bias),),
                         _sparse(bias, bool(shared)), pattern, tied=tied, head_bias=bias,
                         dense=(slot("ffn", "swiglu", bias=bias),), names=NAMES)


def _pattern(config: Config, depth: int) -> list[str]:
    """Every ``moe_layer_interval``-th layer is sparse, from a first to a last one."""
    interval = config.count_of("moe_layer_interval", default=1)
    first = config.number("moe_layer_start_index", 1)
    last = config.integer("moe_layer_end_index", -1)
    last = depth - 1 if last == -1 else last
    return ["sparse" if (number + 1) % interval == 0 and first <= number <= last else "dense"
            for number in range(depth)]


def _sparse(bias: bool, shared: bool) -> Block:
    """Experts and balance; a slot of their own for shared experts with biases."""
    balance = slot("balance", "frozen-row")
    if not (bias and shared):
        return (slot("ffn", "moe", shared=shared), balance)
    return (slot("ffn", "moe"), balance,
            slot("shared", "swiglu", "mlp.shared_experts.", {"d_ff": "d_shared"}, kind="ffn",
                 bias=True))
