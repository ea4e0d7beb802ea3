"""Mistral and Ministral: LLaMA's block, with grouped queries from the start.

Sliding windows change which tokens are seen and no weight.

Source: Jiang et al. 2023, arXiv:2310.06825; transformers, models/mistral, models/ministral and
models/ministral3.
"""

from __future__ import annotations

from symparam.components import find
from symparam.model import Model
from symparam.spec.assemble import classes, decoder_model, slot
from symparam.spec.config import Config
from symparam.spec.options import norm_slots

STEMS = {"mistral": "Mistral", "ministral": "Ministral", "ministral3": "Ministral3"}
MODEL_TYPES = tuple(STEMS)
#: Null key-value heads and a null head width follow; Ministral needs its head width.
DIMS = {
    "V": ("vocab_size", 32000), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 32), "d_ff": ("intermediate_size", 14336),
    "n_kv": ("num_key_value_heads", 8), "d_head": ("head_dim", None),
}
MINISTRAL3_DIMS = DIMS | {"V": ("vocab_size", 131072), "L": ("num_hidden_layers", 34),
                          "d_head": ("head_dim", 128)}
HARMLESS = frozenset("""
    attention_dropout hidden_act layer_types max_position_embeddings partial_rotary_factor
    rms_norm_eps rope_parameters rope_scaling rope_theta sliding_window use_sliding_window
""".split())


def build(config: Config, name: str) -> Model:
    """A Mistral from its configuration."""
    task = config.task(classes(STEMS[config.model_type]), "causal")
    dims = MINISTRAL3_DIMS if config.model_type == "ministral3" else DIMS
    values = config.dims(dims, nullable=("n_kv", "d_head"))
    if config.model_type == "ministral":
        values["d_head"] = config.count_of("head_dim")
    tied = config.flag("tie_word_embeddings", False)
    config.only("attention_bias", False, None)
    config.only("mlp_bias", False, None)
    config.close(HARMLESS)
    norm = find("norm", "rmsnorm")()
    block = (slot("attention", "gqa"), slot("ffn", "swiglu"), *norm_slots(norm, 2))
    return decoder_model(config, name, task, values, block, final_norm=norm, tied=tied)
