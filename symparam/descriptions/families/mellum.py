"""Mellum 2: a mixture of experts with norms of query and key heads, some layers dense.

Source: transformers, models/mellum.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import FUSED_EXPERTS, classes, decoder_model, slot
from symparam.descriptions.assembling.windows import Sliding, no_layer
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.model import Model

MODEL_TYPES = ("mellum",)
CLASSES = classes("Mellum")
DIMS = {
    "V": ("vocab_size", 98304), "d_model": ("hidden_size", 2304),
    "n_heads": ("num_attention_heads", 32), "n_kv": ("num_key_value_heads", 4),
    "d_head": ("head_dim", 128), "d_ff": ("intermediate_size", 7168),
    "n_experts": ("num_experts", "num_local_experts", 64), "top_k": ("num_experts_per_tok", 8),
    "d_expert": ("moe_intermediate_size", 896),
}
HARMLESS = NO_TABLE | frozenset("""
    layer_types mtp_layer_types mtp_mlp_layer_types sliding_window
""".split())
KINDS = {"sparse": "sparse", "dense": "dense"}
UNUSED = {"dense": ("n_experts", "top_k", "d_expert"), "sparse": ("d_ff",)}
SLIDING = Sliding(default=1024, rule=no_layer)


def build(config: Config, name: str) -> Model:
    """A Mellum from its configuration; every layer is sparse unless it says otherwise."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    depth = config.count_of("num_hidden_layers", default=28)
    pattern = config.kinds("mlp_layer_types", KINDS, depth, lambda _: "sparse")
    attention = slot("attention", "gqa", bias=config.flag("attention_bias", False), qk_norm=True)
    tied = config.flag("tie_word_embeddings", False)
    _prediction_layers(config)
    config.close(HARMLESS)
    norm = find("norm", "rmsnorm")()
    blocks = {kind: (attention, ffn, *norm_slots(norm, 2))
              for kind, ffn in (("dense", slot("ffn", "swiglu")), ("sparse", slot("ffn", "moe")))}
    if len(set(pattern)) == 1:
        values = {dim: n for dim, n in values.items() if dim not in UNUSED[pattern[0]]}
    return decoder_model(config, name, task, values, blocks, pattern=pattern, final_norm=norm,
                         tied=tied, names=FUSED_EXPERTS, windows=SLIDING)


def _prediction_layers(config: Config) -> None:
    for key in ("num_mtp_layers", "num_nextn_predict_layers"):
        if config.raw(key, None) is not None and config.mtp_layers(key) and config.mtp:
            raise config.error(key, "prediction layers of Mellum are not understood")
