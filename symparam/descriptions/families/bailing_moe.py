"""Ling and Ling 2.0: ordinary attention with one fused projection, many small experts.

Source: Ling Team 2025, arXiv:2503.05139 (Ling) and arXiv:2510.22115 (Ling 2.0);
inclusionAI/Ling and inclusionAI/Ling-V2 on GitHub, models/modeling_bailing_moe.py and
models/modeling_bailing_moe_v2.py.
"""

from __future__ import annotations

from typing import Any

from symparam.descriptions.assembling.assemble import Places, classes, slot
from symparam.descriptions.assembling.latent import first_dense
from symparam.descriptions.assembling.mixture import HARMLESS, depth_of, mixture_model
from symparam.descriptions.assembling.mtp import count_mtp, with_mtp
from symparam.descriptions.config import Config
from symparam.layout import entries, entry
from symparam.model import Model

MODEL_TYPES = ("bailing_moe", "bailing_moe_v2")
CLASSES = {"bailing_moe": classes("BailingMoe"), "bailing_moe_v2": classes("BailingMoeV2")}
V1: dict[str, tuple[Any, ...]] = {
    "V": ("vocab_size", 30592), "d_model": ("hidden_size", 1024),
    "n_heads": ("num_attention_heads", 16), "d_head": ("head_dim", None),
    "d_ff": ("intermediate_size", None),
    "n_experts": ("num_experts", "n_routed_experts", 16), "top_k": ("num_experts_per_tok", 2),
    "n_shared": ("num_shared_experts", "n_shared_experts", None),
    "d_expert": ("moe_intermediate_size", None),
}
V2 = V1 | {
    "V": ("vocab_size", 157184), "d_model": ("hidden_size", 2048),
    "d_head": ("head_dim", 128), "d_ff": ("intermediate_size", 5120),
    "n_experts": ("num_experts", 256), "top_k": ("num_experts_per_tok", 8),
    "n_shared": ("num_shared_experts", 1), "d_expert": ("moe_intermediate_size", 512),
}
PLACES = Places(token="word_embeddings.")
NAMES = (entry("*.attention", "W_Q W_K W_V", ".query_key_value.weight"),
         entry("*.attention", "b_Q b_K b_V", ".query_key_value.bias"),
         *entries("*.attention", O="dense"),
         entry("*.attention", "g_Q", ".query_layernorm.weight"),
         entry("*.attention", "g_K", ".key_layernorm.weight"),
         entry("*.ffn", "balance", ".gate.expert_bias"))
MTP_NAMES = (entry("*.mtp", "g_out", ".final_layernorm.weight"),)
#: Ling 2.0 writes these too; what they say of the weights is said by other keys.
FURTHER = frozenset("""
    embedding_dropout moe_router_enable_expert_bias mtp_loss_scaling_factor norm_head norm_softmax
    output_dropout
""".split())


def build(config: Config, name: str) -> Model:
    """A Ling from its configuration: experts from the first layer on that is not dense."""
    second = config.model_type == "bailing_moe_v2"
    task = config.task(CLASSES[config.model_type], "causal")
    depth = depth_of(config, "num_hidden_layers", 20 if second else 24)
    values = config.dims(V2 if second else V1, nullable=("d_head", "n_shared"))
    values["n_kv"] = config.count_of("num_key_value_heads", default=4 if second else None)
    pattern = first_dense(config, depth, 1 if second else 0)
    bias = [site for site, key, default in (("qkv", "use_qkv_bias", False),
                                            ("attn-out", "use_bias", not second))
            if config.flag(key, default)]
    attention = slot("attention", "gqa", "attention.", bias=bias,
                     qk_norm=second and config.flag("use_qk_norm", True))
    experts = slot("ffn", "moe", shared="n_shared" in values, balance=second)
    tied = config.flag("tie_word_embeddings", False)
    further = count_mtp(config, task, pattern) if second else 0
    config.close(HARMLESS | FURTHER)
    model = mixture_model(config, name, task, values, (attention,), (experts,), pattern, tied=tied,
                          places=PLACES, names=NAMES + (MTP_NAMES if further else ()))
    return with_mtp(model, further)
