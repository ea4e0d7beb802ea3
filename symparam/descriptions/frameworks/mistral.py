"""Mistral's own ``params.json``, mixtures of experts too.

Source: mistralai/mistral-inference, src/mistral_inference/args.py (TransformerArgs, MoeArgs),
transformer.py and transformer_layers.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symparam.components import find
from symparam.descriptions.assembling.assemble import decoder_model, slot
from symparam.descriptions.assembling.windows import Sliding, told
from symparam.descriptions.config import Config
from symparam.descriptions.frameworks import meta
from symparam.descriptions.reading.source import shown
from symparam.layout import entry
from symparam.model import Model
from symparam.resolve import MAX_DIM
from symparam.stack import Slot

NAME = "Mistral"
DIMS = {"d_model": ("dim", 4096), "L": ("n_layers", 32), "n_heads": ("n_heads", 32),
        "n_kv": ("n_kv_heads", 8), "d_head": ("head_dim", 128), "V": ("vocab_size", 32000)}
HARMLESS = frozenset("""
    norm_eps rope_theta max_batch_size max_seq_len model_type
""".split())
EXPERTS = (entry("*.ffn", "W_router", ".gate.weight"),
           entry("*.ffn", "X_gate", ".experts.*.w1.weight"),
           entry("*.ffn", "X_up", ".experts.*.w3.weight"),
           entry("*.ffn", "X_down", ".experts.*.w2.weight"))


def recognised(file: str, data: Mapping[str, Any]) -> bool:
    """Whether a table is one of Mistral's: the inner width is stated as hidden_dim."""
    return {"dim", "n_layers", "n_heads", "hidden_dim", "head_dim"} <= data.keys()


def build(config: Config, name: str) -> Model:
    """A Mistral; with a table ``moe`` each network is so many experts."""
    task = config.task({"Transformer": "causal"}, "causal")
    values = config.dims(DIMS)
    inner = config.count_of("hidden_dim")
    tied = config.flag("tied_embeddings", False)
    ffn = slot("ffn", "swiglu", "feed_forward.")
    if config.raw("moe", None) is None:
        values["d_ff"] = inner
    else:
        moe = config.part("moe", "Mistral")
        values |= {"d_expert": inner, "n_experts": moe.count_of("num_experts"),
                   "top_k": moe.count_of("num_experts_per_tok")}
        moe.close(())
        ffn = slot("ffn", "moe", "feed_forward.")
    windows = _windows(config, values["L"])
    config.close(HARMLESS)
    norm = find("norm", "rmsnorm")()
    block = (slot("attention", "gqa", "attention."), ffn,
             Slot("norms.attention", norm, "attention_norm."), Slot("norms.ffn", norm, "ffn_norm."))
    return decoder_model(config, name, task, values, block, tied=tied, final_norm=norm,
                         places=meta.PLACES, names=(*meta.NAMES, *EXPERTS), windows=windows)


def _windows(config: Config, depth: int) -> Sliding | None:
    """The window of every layer, or a list of them that goes round (cache.py, get_cache_sizes)."""
    listed = config.raw("sliding_window", None)
    lengths = listed if isinstance(listed, list) and listed else [listed]
    for length in lengths:
        if length is not None and (type(length) is not int or not 0 < length <= MAX_DIM):
            raise config.error("sliding_window", f"expected a number of tokens, found "
                               f"{shown(length)}")
    return told(config, [lengths[number % len(lengths)] for number in range(depth)])
