"""Granite 3 with experts: all layers sparse, perhaps with a network for every token beside.

Source: IBM Granite team 2024, Granite 3.0 Language Models; transformers, models/granitemoe,
models/granitemoeshared and models/granitemoe_swa (windows and attention sinks).
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import FUSED_EXPERTS, Block, classes, slot
from symparam.descriptions.assembling.mixture import HARMLESS, mixture_model, with_head_width
from symparam.descriptions.assembling.windows import Sliding, all_but_every
from symparam.descriptions.config import Config
from symparam.layout import entry
from symparam.model import Model

MODEL_TYPES = ("granitemoe", "granitemoeshared", "granitemoe_swa")
CLASSES = {"granitemoe": classes("GraniteMoe"), "granitemoeshared": classes("GraniteMoeShared"),
           "granitemoe_swa": classes("GraniteMoeSWA")}
DIMS = {
    "V": ("vocab_size", 32000), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 32), "n_kv": ("num_key_value_heads", None),
    "d_head": ("head_dim", None), "d_expert": ("intermediate_size", 11008),
    "n_experts": ("num_local_experts", 8), "top_k": ("num_experts_per_tok", 2),
}
NAMES = (
    *FUSED_EXPERTS, entry("*.ffn", "W_router", ".router.weight"),
    entry("*.shared", "W_gate W_up", ".input_linear.weight"),
    entry("*.shared", "W_down", ".output_linear.weight"),
)
SLIDING = Sliding(default=128, rule=all_but_every(4, 0))


def build(config: Config, name: str) -> Model:
    """A Granite with experts from its configuration."""
    kind = config.model_type
    task = config.task(CLASSES[kind], "causal")
    values = with_head_width(config.dims(DIMS))
    attention: Block = (slot("attention", "gqa", bias=config.flag("attention_bias", False)),)
    sparse: Block = (slot("ffn", "moe", "block_sparse_moe."),)
    harmless = HARMLESS
    if kind == "granitemoe_swa":
        attention = (*attention, slot("sinks", "learned"))
        harmless |= {"layer_rope_theta"}
    if kind != "granitemoe" and (width := config.number("shared_intermediate_size", 0)):
        values["d_shared"] = width
        sparse = (*sparse, slot("shared", "swiglu", "shared_mlp.", {"d_ff": "d_shared"},
                                kind="ffn"))
    tied = config.flag("tie_word_embeddings", False)
    config.close(harmless)
    return mixture_model(config, name, task, values, attention, sparse, tied=tied, names=NAMES,
                         windows=SLIDING if kind == "granitemoe_swa" else None)
