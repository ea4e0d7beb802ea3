"""nanochat: norms without weights, squared ReLU between two matrices, untied.

Source: Karpathy 2025, karpathy/nanochat, nanochat/gpt.py; transformers, models/nanochat.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import classes, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.layout import entries
from symparam.model import Model

MODEL_TYPES = ("nanochat",)
CLASSES = classes("NanoChat")
DIMS = {
    "V": ("vocab_size", 50304), "L": ("num_hidden_layers", 12), "d_model": ("hidden_size", 768),
    "n_heads": ("num_attention_heads", 6), "d_ff": ("intermediate_size", 8192),
    "n_kv": ("num_key_value_heads", None), "d_head": ("head_dim", None),
}
HARMLESS = NO_TABLE | {"logits_soft_cap"}
NAMES = entries("*.ffn", up="fc1", down="fc2")


def build(config: Config, name: str) -> Model:
    """A nanochat from its configuration."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    attention = slot("attention", "gqa", bias=config.flag("attention_bias", False))
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS)
    norm = find("norm", "none")()
    block = (attention, slot("ffn", "mlp"), *norm_slots(norm, 2))
    return decoder_model(config, name, task, values, block, final_norm=norm, tied=tied,
                         names=NAMES)
