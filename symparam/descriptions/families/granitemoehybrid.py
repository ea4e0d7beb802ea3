"""Granite 4: Mamba-2 layers with attention among them, a shared FFN and perhaps experts.

Source: IBM 2025, Granite 4.0 model cards; transformers, models/granitemoehybrid.
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
from symparam.descriptions.config import Config
from symparam.descriptions.families.bamba import SSM_DIMS, split_into_heads
from symparam.descriptions.families.mamba import mamba_bias
from symparam.descriptions.harmless import NO_TABLE, SCAN
from symparam.descriptions.options import norm_slots
from symparam.layout import entry
from symparam.model import Model

MODEL_TYPES = ("granitemoehybrid",)
CLASSES = classes("GraniteMoeHybrid")
DIMS = {
    "V": ("vocab_size", 32000), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 32), "n_kv": ("num_key_value_heads", None),
    "d_head": ("head_dim", None), "d_ff": ("shared_intermediate_size", 1024), **SSM_DIMS,
}
EXPERTS = {"d_expert": ("intermediate_size", 11008), "top_k": ("num_experts_per_tok", 2)}
HARMLESS = NO_TABLE | SCAN | frozenset("""
    init_method intermediate_size normalization_function num_experts_per_tok
""".split())
KINDS = {"linear_attention": "mamba", "mamba": "mamba", "full_attention": "attention",
         "attention": "attention"}
NAMES = (*FUSED_EXPERTS, entry("*.ffn", "W_router", ".router.weight"),
         *(made for path in ("*.ffn", "*.shared")
           for made in (entry(path, "W_gate W_up", ".input_linear.weight"),
                        entry(path, "W_down", ".output_linear.weight"))))


def build(config: Config, name: str) -> Model:
    """A Granite 4: every layer has the shared FFN, and a mixture beside it if it has experts."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    if experts := config.number("num_local_experts", 8):
        values |= config.dims(EXPERTS) | {"n_experts": experts}
    depth = values.pop("L")
    key = "layers_block_type" if "layers_block_type" in config else "layer_types"
    if key == "layers_block_type" and "layer_types" in config:
        raise config.error(key, "the kinds of layer are given twice: layer_types")
    pattern = config.kinds(key, KINDS, depth, lambda _: "mamba")
    bias = mamba_bias(config.flag("mamba_proj_bias", False), config.flag("mamba_conv_bias", True))
    rules = split_into_heads(config, values)
    blocks = _blocks(bias, config.flag("attention_bias", False), experts > 0)
    tied = config.flag("tie_word_embeddings", False)
    rope = config.raw("position_embedding_type", None) == "rope"
    config.only("normalization_function", "rmsnorm")
    config.close(HARMLESS)
    return decoder_model(config, name, task, values, blocks, pattern=pattern,
                         final_norm=find("norm", "rmsnorm")(), tied=tied, equations=rules,
                         positions="rope" if rope else "none", names=NAMES)


def _blocks(bias: list[str], attention_bias: bool, sparse: bool) -> dict[str, Block]:
    norms = norm_slots(find("norm", "rmsnorm")(), 2)
    ffn: Block = (slot("ffn", "swiglu", "shared_mlp."),)
    if sparse:
        ffn = (slot("ffn", "moe", "block_sparse_moe."),
               slot("shared", "swiglu", "shared_mlp.", kind="ffn"))
    return {"attention": (slot("attention", "gqa", bias=attention_bias), *ffn, *norms),
            "mamba": (slot("mixer", "mamba2", "mamba.", bias=bias), *ffn, *norms)}
