"""OLMoE and FlexOlmo: a mixture in every layer, norms over all query and all key heads at once.

OLMoE has its norms before attention and experts, FlexOlmo after them.

Source: Muennighoff et al. 2024, arXiv:2409.02060; Shi et al. 2025, arXiv:2507.07024;
transformers, models/olmoe and models/flex_olmo.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import classes, slot
from symparam.descriptions.assembling.mixture import HARMLESS, mixture_model
from symparam.descriptions.config import Config
from symparam.descriptions.options import norm_slots
from symparam.model import Model
from symparam.stack import Slot

MODEL_TYPES = ("olmoe", "flex_olmo")
CLASSES = {"olmoe": classes("Olmoe"), "flex_olmo": classes("FlexOlmo")}
DIMS = {
    "olmoe": {
        "V": ("vocab_size", 50304), "L": ("num_hidden_layers", 16),
        "d_model": ("hidden_size", 2048), "n_heads": ("num_attention_heads", 16),
        "n_kv": ("num_key_value_heads", None), "d_expert": ("intermediate_size", 2048),
        "n_experts": ("num_experts", "num_local_experts", 64),
        "top_k": ("num_experts_per_tok", 8),
    },
    "flex_olmo": {
        "V": ("vocab_size", 100352), "L": ("num_hidden_layers", 32),
        "d_model": ("hidden_size", 4096), "n_heads": ("num_attention_heads", 32),
        "n_kv": ("num_key_value_heads", None), "d_expert": ("intermediate_size", 11008),
        "n_experts": ("num_experts", "num_local_experts", 7),
        "top_k": ("num_experts_per_tok", 5),
    },
}
NORM = find("norm", "rmsnorm")()
NORMS = {
    "olmoe": norm_slots(NORM, 2),
    "flex_olmo": (Slot("norms.attention_out", NORM, "post_attention_layernorm."),
                  Slot("norms.ffn_out", NORM, "post_feedforward_layernorm.")),
}


def build(config: Config, name: str) -> Model:
    """An OLMoE or a FlexOlmo from its configuration; heads split the width."""
    task = config.task(CLASSES[config.model_type], "causal")
    values = config.dims(DIMS[config.model_type])
    if "head_dim" in config:
        config.only("head_dim", values["d_model"] // values["n_heads"])
    attention = slot("attention", "gqa", bias=config.flag("attention_bias", False))
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS)
    return mixture_model(config, name, task, values,
                         (attention, slot("qk_norm", "width", kind="qk-norm")),
                         (slot("ffn", "moe"),), norms=NORMS[config.model_type], tied=tied)
