"""IQuest-Coder: Llama's weights under a name of its own.

Source: model card of IQuestLab/IQuest-Coder-V1-40B-Instruct; transformers, models/iquestcoder
(which builds a Llama).
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import classes, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.model import Model

MODEL_TYPES = ("iquestcoder",)
CLASSES = classes("IQuestCoder", "Llama")
DIMS = {
    "V": ("vocab_size", 76800), "L": ("num_hidden_layers", 80), "d_model": ("hidden_size", 5120),
    "n_heads": ("num_attention_heads", 40), "d_ff": ("intermediate_size", 27648),
    "n_kv": ("num_key_value_heads", 8), "d_head": ("head_dim", 128),
}
HARMLESS = NO_TABLE | {"max_window_layers", "sliding_window"}


def build(config: Config, name: str) -> Model:
    """An IQuest-Coder from its configuration; null heads and widths follow by their rules."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS, nullable=("n_kv", "d_head"))
    attention = slot("attention", "gqa", bias=config.flag("attention_bias", False))
    ffn = slot("ffn", "swiglu", bias=config.flag("mlp_bias", False))
    tied = config.flag("tie_word_embeddings", False)
    config.only("clip_qkv", None)
    config.only("use_sliding_window", False)
    config.close(HARMLESS)
    norm = find("norm", "rmsnorm")()
    return decoder_model(config, name, task, values, (attention, ffn, *norm_slots(norm, 2)),
                         final_norm=norm, tied=tied)
