"""Laguna: numbers of query heads that differ from layer to layer, gated attention, experts.

Source: model card of poolside/laguna-XS.2; transformers, models/laguna.
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
from symparam.descriptions.assembling.mixture import HARMLESS, depth_of
from symparam.descriptions.assembling.windows import Sliding, no_layer
from symparam.descriptions.config import Config
from symparam.descriptions.options import norm_slots
from symparam.descriptions.reading.source import shown
from symparam.layout import entry
from symparam.model import Model

MODEL_TYPES = ("laguna",)
CLASSES = classes("Laguna")
DIMS = {
    "V": ("vocab_size", 100352), "d_model": ("hidden_size", 2048),
    "n_heads": ("num_attention_heads", 48), "n_kv": ("num_key_value_heads", 8),
    "d_head": ("head_dim", 128), "d_ff": ("intermediate_size", 8192),
    "n_experts": ("num_experts", 256), "top_k": ("num_experts_per_tok", 8),
    "d_expert": ("moe_intermediate_size", 512),
    "d_shared": ("shared_expert_intermediate_size", 512),
}
KINDS = {"dense": "dense", "sparse": "sparse"}
FURTHER = frozenset("""
    moe_apply_router_weight_on_input moe_routed_scaling_factor moe_router_logit_softcapping
""".split())
NAMES = (*FUSED_EXPERTS, entry("*.balance", "e", ".gate.e_score_correction_bias"),
         entry("*.output_gate", "W_G", ".g_proj.weight"))
SLIDING = Sliding(default=512, rule=no_layer)


def build(config: Config, name: str) -> Model:
    """A Laguna from its configuration: kinds of layer by query heads and by experts."""
    task = config.task(CLASSES, "causal")
    depth = depth_of(config, "num_hidden_layers", 40)
    values = config.dims(DIMS)
    ffns = config.kinds("mlp_layer_types", KINDS, depth, lambda i: "sparse" if i else "dense")
    heads = _heads(config, depth, values.pop("n_heads"))
    bias = config.flag("attention_bias", False)
    per_head = _per_head(config)
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS | FURTHER)
    sizes = sorted(set(heads))
    named = {n: "n_heads" if n == sizes[0] else f"n_heads_{n}" for n in sizes}
    blocks = {f"{kind}_{n}": _block(kind, dim, bias, per_head)
              for n, dim in named.items() for kind in KINDS}
    pattern = [f"{kind}_{n}" for kind, n in zip(ffns, heads, strict=True)]
    return decoder_model(config, name, task, values | {dim: n for n, dim in named.items()}, blocks,
                         pattern=pattern, final_norm=find("norm", "rmsnorm")(), tied=tied,
                         names=NAMES, windows=SLIDING)


def _heads(config: Config, depth: int, everywhere: int) -> list[int]:
    key = "num_attention_heads_per_layer"
    listed = config.raw(key, None)
    if listed is None:
        return [everywhere] * depth
    if not isinstance(listed, list) or len(listed) != depth or not all(
            type(each) is int and each > 0 for each in listed):
        raise config.error(key, f"expected a number of query heads for each of {depth} layers, "
                           f"found {shown(listed)}")
    return listed


def _per_head(config: Config) -> bool:
    """Whether the gate is one number a head; whatever else is said, it is one a coordinate."""
    gating = config.raw("gating", True)
    if not isinstance(gating, (bool, str)):
        raise config.error("gating", f"expected true, false or a word, found {shown(gating)}")
    return gating is True or gating == "per-head"


def _block(kind: str, n_heads: str, bias: bool, per_head: bool) -> Block:
    bound = {} if n_heads == "n_heads" else {"n_heads": n_heads}
    gate = (slot("head_gate", "heads", None, bound, kind="head-gate") if per_head
            else slot("output_gate", "numbers", None, bound, kind="output-gate"))
    ffn: Block = (slot("ffn", "swiglu"),)
    if kind == "sparse":
        ffn = (slot("ffn", "moe", shared=True), slot("balance", "frozen"))
    return (slot("attention", "gqa", None, bound, bias=bias, qk_norm=True), gate, *ffn,
            *norm_slots(find("norm", "rmsnorm")(), 2))
