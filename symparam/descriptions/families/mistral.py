"""Mistral and Ministral: LLaMA's block, with grouped queries from the start.

Sliding windows change which tokens are seen and no weight.

Voxtral Realtime's language model has gains beside them that depend on a delay.

Source: Jiang et al. 2023, arXiv:2310.06825; transformers, models/mistral, models/ministral,
models/ministral3 and models/voxtral_realtime.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import classes, decoder_model, slot
from symparam.descriptions.assembling.windows import Sliding
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.model import Model

CLASSES = {"mistral": classes("Mistral"), "ministral": classes("Ministral"),
           "ministral3": classes("Ministral3"),
           "voxtral_realtime_text": {"VoxtralRealtimeTextModel": "base"}}
MODEL_TYPES = tuple(CLASSES)
#: Null key-value heads and a null head width follow; Ministral needs its head width.
DIMS = {
    "V": ("vocab_size", 32000), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 32), "d_ff": ("intermediate_size", 14336),
    "n_kv": ("num_key_value_heads", 8), "d_head": ("head_dim", None),
}
MINISTRAL3_DIMS = DIMS | {"V": ("vocab_size", 131072), "L": ("num_hidden_layers", 34),
                          "d_head": ("head_dim", 128)}
HARMLESS = NO_TABLE | frozenset("layer_types sliding_window use_sliding_window".split())
SLIDING = {kind: Sliding(default=None if kind == "ministral3" else 4096) for kind in CLASSES}


def build(config: Config, name: str) -> Model:
    """A Mistral from its configuration."""
    kind = config.model_type
    task = config.task(CLASSES[kind], "base" if kind.endswith("_text") else "causal")
    dims = MINISTRAL3_DIMS if kind == "ministral3" else DIMS
    values = config.dims(dims, nullable=("n_kv", "d_head"))
    if kind == "ministral":
        values["d_head"] = config.count_of("head_dim")
    tied = config.flag("tie_word_embeddings", False)
    config.only("attention_bias", False, None)
    config.only("mlp_bias", False, None)
    config.close(HARMLESS)
    norm = find("norm", "rmsnorm")()
    block = (slot("attention", "gqa"), slot("ffn", "swiglu"), *norm_slots(norm, 2))
    if kind == "voxtral_realtime_text":
        values["r_gain"] = 32  # a number of the code, not of the configuration
        block = (*block, slot("adaptive-gain", "low-rank"))
    return decoder_model(config, name, task, values, block, final_norm=norm, tied=tied,
                         windows=SLIDING[kind])
