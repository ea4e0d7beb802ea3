"""Ling 3.0: delta attention with full gates, and latent attention with a gate on each head.

Source: transformers, models/bailing_hybrid; Kimi Team 2025, arXiv:2510.26692 (the mixer).
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import FUSED_EXPERTS, classes, decoder_model, slot
from symparam.descriptions.assembling.latent import (
    HARMLESS,
    MIXERS,
    crossed,
    latent_dims,
    mlp_kinds,
)
from symparam.descriptions.config import Config
from symparam.model import Model

MODEL_TYPES = ("bailing_hybrid",)
CLASSES = classes("BailingHybrid")
LATENT = {dim: key for dim, key in latent_dims(None, 512, 128, 64, 128).items() if dim != "q_rank"}
DIMS = {
    "V": ("vocab_size", 157184), "L": ("num_hidden_layers", 42), "d_model": ("hidden_size", 2560),
    "n_heads": ("num_attention_heads", 32), "d_ff": ("intermediate_size", 6144),
    "n_experts": ("num_experts", "num_local_experts", 512),
    "top_k": ("num_experts_per_token", "num_experts_per_tok", 8),
    "n_shared": ("num_shared_experts", "n_shared_experts", 1),
    "d_expert": ("moe_intermediate_size", 768), **LATENT,
}
UNUSED = frozenset("""
    kda_lower_bound kda_safe_gate moe_renormalize mtp_loss_scaling_factor num_expert_group
""".split())


def build(config: Config, name: str) -> Model:
    """A Ling 3.0 from its configuration: each sixth layer is latent attention."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    values |= _delta(config, values["n_heads"])
    group = config.count_of("layer_group_size", default=6)
    mixers = config.kinds("layer_types", MIXERS, values["L"], lambda number: (
        "linear_attention" if (number + 1) % group else "full_attention"))
    kinds = mlp_kinds(config, values["L"], 2)
    config.only("tie_word_embeddings", False)  # this code ties nothing, whatever the key says
    attention = slot("attention", "mla", full_queries=True,
                     bias=config.flag("attention_bias", False))
    blocks = crossed((attention, slot("head-gate", "heads")), "kda-full")
    if config.mtp:
        raise config.error("", "--mtp: what the multi-token-prediction layers of this family hold "
                           "is not understood")
    config.mtp_layers("num_mtp_layers" if "num_mtp_layers" in config else
                      "num_nextn_predict_layers", 1)
    config.close(HARMLESS | UNUSED)
    return decoder_model(config, name, task, values, blocks,
                         pattern=[f"{m}_{k}" for m, k in zip(mixers, kinds, strict=True)],
                         final_norm=find("norm", "rmsnorm")(), names=FUSED_EXPERTS)


def _delta(config: Config, n_heads: int) -> dict[str, int]:
    """Sizes of delta attention: keys of a saved model outrank those that it was made from."""
    made = {"n_linear": n_heads, "d_linear": config.count_of("head_dim", default=128),
            "k_conv": config.count_of("short_conv_kernel_size", default=4)}
    saved = {"n_linear": "linear_num_heads", "d_linear": "linear_head_dim",
             "k_conv": "linear_conv_kernel_dim"}
    return {dim: config.optional_count(saved[dim]) or size for dim, size in made.items()}
