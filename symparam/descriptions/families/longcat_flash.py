"""LongCat-Flash: two latent attentions and two dense networks a layer, experts beside the second.

Some experts have no weights, only rows of the router. transformers 5.23 makes room for their gates
too, which no checkpoint holds: they are not counted.

Source: Meituan LongCat Team 2025, arXiv:2509.01322, section 2; transformers, models/longcat_flash.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import (
    FUSED_EXPERTS,
    Block,
    classes,
    decoder_model,
    slot,
)
from symparam.descriptions.assembling.latent import HARMLESS, latent_dims
from symparam.descriptions.config import Config
from symparam.layout import entry
from symparam.model import Model

MODEL_TYPES = ("longcat_flash",)
CLASSES = classes("LongcatFlash")
DIMS = {
    "V": ("vocab_size", 131072), "L": ("num_layers", 28), "d_model": ("hidden_size", 6144),
    "n_heads": ("num_attention_heads", 64),
    "d_ff": ("ffn_hidden_size", "intermediate_size", 12288),
    "n_experts": ("n_routed_experts", "num_local_experts", 512),
    "top_k": ("moe_topk", "num_experts_per_tok", 12),
    "d_expert": ("expert_ffn_hidden_size", "moe_intermediate_size", 2048),
    **latent_dims(1536, 512, 128, 64, 128),
}
FURTHER = frozenset("""
    attention_method mla_scale_kv_lora mla_scale_q_lora zero_expert_type
""".split())
NAMES = (*FUSED_EXPERTS, entry("*.ffn", "W_router", ".router.classifier.weight"),
         entry("*.ffn", "b_router", ".router.classifier.bias"),
         entry("*.ffn", "balance", ".router.e_score_correction_bias"))


def build(config: Config, name: str) -> Model:
    """A LongCat-Flash from its configuration: a layer of it is two of others."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    config.only("num_hidden_layers", None, 2 * values["L"])
    config.only("qk_head_dim", None, values["d_nope"] + values["d_rope"])
    zero = config.number("zero_expert_num", 256)
    bias = config.flag("attention_bias", False)
    router = ["router"] if config.flag("router_bias", False) else []
    tied = config.flag("tie_word_embeddings", False)
    config.close((HARMLESS - {"qk_head_dim"}) | FURTHER)
    experts = slot("ffn", "moe-zero" if zero else "moe", balance=True, bias=router)
    return decoder_model(config, name, task, values | ({"n_zero": zero} if zero else {}),
                         (*_half(0, bias), *_half(1, bias), experts), tied=tied, names=NAMES,
                         final_norm=find("norm", "rmsnorm")())


def _half(number: int, bias: bool) -> Block:
    """One attention and one dense network with their norms."""
    end = "" if number == 0 else "_second"
    return (slot(f"attention{end}", "mla", f"self_attn.{number}.", kind="attention", bias=bias),
            slot(f"dense{end}", "swiglu", f"mlps.{number}.", kind="ffn"),
            slot(f"norms.attention{end}", "rmsnorm", f"input_layernorm.{number}."),
            slot(f"norms.ffn{end}", "rmsnorm", f"post_attention_layernorm.{number}."))
