"""LFM3: short convolutions, attention in windows and over everything, gated heads, four norms.

Source: transformers, models/lfm3; Liquid AI 2025, arXiv:2511.23404 (the convolutions).
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import (
    Block,
    Places,
    classes,
    decoder_model,
    slot,
)
from symparam.descriptions.assembling.windows import Sliding
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.layout import entry
from symparam.model import Model

MODEL_TYPES = ("lfm3",)
CLASSES = classes("Lfm3")
DIMS = {
    "V": ("vocab_size", 128000), "L": ("num_hidden_layers", 24), "d_model": ("hidden_size", 2048),
    "n_heads": ("num_attention_heads", 16), "n_kv": ("num_key_value_heads", 4),
    "d_head": ("head_dim", 128), "d_ff": ("intermediate_size", 7680),
    "k_conv": ("conv_L_cache", 7),
}
KINDS = {"full_attention": "attention", "sliding_attention": "attention", "conv": "conv"}
SLIDING = Sliding(default=256, rule=lambda config, depth: range(4, depth, 4))
NAMES = (entry("*.ffn", "W_gate", ".w1.weight"), entry("*.ffn", "W_up", ".w3.weight"),
         entry("*.ffn", "W_down", ".w2.weight"))


def build(config: Config, name: str) -> Model:
    """An LFM3 from its configuration: one layer of four sees all, one a window, two convolve."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    pattern = config.kinds("layer_types", KINDS, values.pop("L"), lambda i: (
        "conv" if i % 2 or not i else "full_attention"))
    attention: Block = (slot("attention", "gqa", bias=config.flag("attention_bias", False),
                             qk_norm=True),)
    if config.flag("use_attention_gate", True):
        attention += (slot("head_gate", "heads", kind="head-gate"),)
    mixers: dict[str, Block] = {"attention": attention, "conv": (
        slot("mixer", "short-convolution", bias=config.flag("conv_bias", False)),)}
    around = _around(config.flag("use_sandwich_norm", True))
    tied = config.flag("tie_word_embeddings", True)
    config.close(NO_TABLE | {"sliding_window"})
    return decoder_model(config, name, task, values, pattern=pattern, tied=tied, names=NAMES,
                         blocks={kind: (*mixer, *around) for kind, mixer in mixers.items()},
                         final_norm=find("norm", "rmsnorm")(), windows=SLIDING,
                         places=Places(final_norm="embedding_norm."))


def _around(sandwich: bool) -> Block:
    """The network and the norms, those behind each part among them where asked for."""
    behind = (("norms.mixer_out", "post_operator_norm."), ("norms.ffn_out", "post_ffn_norm."))
    places = (("norms.mixer", "operator_norm."), ("norms.ffn", "ffn_norm."),
              *(behind if sandwich else ()))
    return (slot("ffn", "swiglu", "feed_forward."),
            *(slot(path, "rmsnorm", prefix) for path, prefix in places))
