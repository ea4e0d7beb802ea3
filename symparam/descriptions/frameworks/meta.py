"""Meta's own Llama code: ``params.json`` beside its checkpoints.

The inner width follows: two thirds of four times the width, times a factor, up to a multiple.

Source: meta-llama/llama-models, models/llama3/args.py and model.py (ModelArgs, FeedForward).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from symparam.components import find
from symparam.descriptions.assembling.assemble import Places, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.reading.source import shown
from symparam.layout import entries, entry
from symparam.model import Model
from symparam.stack import Slot

NAME = "Meta"
PLACES = Places(top="", token="tok_embeddings.", final_norm="norm.", head="output.")
NAMES = (*entries("*.attention", Q="wq", K="wk", V="wv", O="wo"),
         entry("*.ffn", "W_gate", ".w1.weight"), entry("*.ffn", "W_up", ".w3.weight"),
         entry("*.ffn", "W_down", ".w2.weight"))
DIMS = {"d_model": ("dim", 4096), "L": ("n_layers", 32), "n_heads": ("n_heads", 32),
        "n_kv": ("n_kv_heads", None)}
HARMLESS = frozenset("""
    norm_eps rope_theta use_scaled_rope rope_scaling_factor rope_high_freq_factor max_batch_size
    max_seq_len vision_chunk_size vision_max_num_chunks
""".split())
#: What each generation's code adds to a configuration without a vocabulary: its tokenizer has it.
NO_VOCABULARY = ("the file does not say how many tokens there are (its tokenizer does): add "
                 "V=32000 or the like")


def recognised(file: str, data: Mapping[str, Any]) -> bool:
    """Whether a table is one of Meta's: the width is called dim, and its rule has a multiple."""
    return {"dim", "n_layers", "n_heads", "multiple_of"} <= data.keys()


def build(config: Config, name: str) -> Model:
    """A Llama; the vocabulary is left open where the file has -1 or nothing."""
    task = config.task({"Transformer": "causal"}, "causal")
    values = config.dims(DIMS)
    if config.raw("vocab_size", -1) == -1:
        config.ask("V", NO_VOCABULARY)
    else:
        values["V"] = config.count_of("vocab_size")
    values["d_ff"] = inner_width(config, values["d_model"])
    config.close(HARMLESS)
    norm = find("norm", "rmsnorm")()
    block = (slot("attention", "gqa", "attention."), slot("ffn", "swiglu", "feed_forward."),
             Slot("norms.attention", norm, "attention_norm."), Slot("norms.ffn", norm, "ffn_norm."))
    return decoder_model(config, name, task, values, block, tied=False, final_norm=norm,
                         places=PLACES, names=NAMES)


def inner_width(config: Config, width: int) -> int:
    """The inner width, as FeedForward works it out; exactly, with the factor as it is written."""
    step = config.count_of("multiple_of", default=256)
    inner = int(Fraction(2 * 4 * width, 3))
    factor = config.raw("ffn_dim_multiplier", None)
    if factor is not None:
        if isinstance(factor, bool) or not isinstance(factor, (int, float)) or not 0 < factor < 99:
            raise config.error("ffn_dim_multiplier", f"expected a factor, found {shown(factor)}")
        inner = int(float(json.dumps(factor)) * inner)  # as the code itself does, in floats
    return -(-inner // step) * step
