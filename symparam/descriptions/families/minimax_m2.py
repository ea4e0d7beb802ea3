"""MiniMax M2: many experts in every layer, norms over all query and all key heads at once.

Source: model card of MiniMaxAI/MiniMax-M2; transformers, models/minimax_m2.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import FUSED_EXPERTS, classes, slot
from symparam.descriptions.assembling.mixture import HARMLESS, leave_out_mtp, mixture_model
from symparam.descriptions.config import Config
from symparam.layout import entry
from symparam.model import Model

MODEL_TYPES = ("minimax_m2",)
CLASSES = classes("MiniMaxM2")
DIMS = {
    "V": ("vocab_size", 200064), "L": ("num_hidden_layers", 62), "d_model": ("hidden_size", 3072),
    "n_heads": ("num_attention_heads", 48), "n_kv": ("num_key_value_heads", 8),
    "d_head": ("head_dim", 128), "d_expert": ("intermediate_size", 1536),
    "n_experts": ("num_local_experts", "num_experts", 256), "top_k": ("num_experts_per_tok", 8),
}
FURTHER = frozenset("""
    layernorm_full_attention_alpha layernorm_full_attention_beta layernorm_linear_attention_alpha
    layernorm_linear_attention_beta layernorm_mlp_alpha layernorm_mlp_beta mtp_transformer_layers
    rotary_dim scoring_func use_mtp
""".split())
NAMES = (*FUSED_EXPERTS, entry("*.ffn", "balance", ".e_score_correction_bias"))


def build(config: Config, name: str) -> Model:
    """A MiniMax M2 from its configuration; the published ones say what its code takes as given."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    tied = config.flag("tie_word_embeddings", False)
    _fixed(config, values["L"])
    leave_out_mtp(config, "num_mtp_modules")
    config.close(HARMLESS | FURTHER)
    return mixture_model(config, name, task, values,
                         (slot("attention", "gqa"), slot("qk_norm", "width", kind="qk-norm")),
                         (slot("ffn", "moe", balance=True),), tied=tied, names=NAMES)


def _fixed(config: Config, depth: int) -> None:
    kinds = config.raw("attn_type_list", None)
    config.only("attn_type_list", None, [1] * (min(depth, len(kinds))
                                               if isinstance(kinds, list) else 0))
    config.only("qk_norm_type", "per_layer")
    config.only("shared_intermediate_size", 0)
    config.only("use_qk_norm", True)
    config.only("use_routing_bias", True)
