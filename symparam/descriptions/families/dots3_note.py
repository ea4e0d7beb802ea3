"""dots3-note's language model: latent attention of two sizes, in windows and with an indexer.

Source: transformers, models/dots3_note; DeepSeek-AI 2025, arXiv:2512.02556 (the indexer).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from symparam.components import find
from symparam.descriptions.assembling.assemble import (
    FUSED_EXPERTS,
    Block,
    classes,
    decoder_model,
    slot,
)
from symparam.descriptions.assembling.latent import HARMLESS, latent_dims
from symparam.descriptions.assembling.mixture import depth_of
from symparam.descriptions.assembling.per_layer import KEY, overrides
from symparam.descriptions.assembling.windows import Sliding, with_selection
from symparam.descriptions.config import Config
from symparam.descriptions.options import norm_slots
from symparam.model import Model

MODEL_TYPES = ("dots3_note_text",)
CLASSES = classes("Dots3Note", Dots3NoteTextModel="base")
DIMS = {
    "V": ("vocab_size", 152064), "d_model": ("hidden_size", 5120),
    "n_heads": ("num_attention_heads", 128), "d_ff": ("intermediate_size", 13824),
    "n_experts": ("n_routed_experts", "num_local_experts", 256),
    "top_k": ("num_experts_per_tok", 8), "d_expert": ("moe_intermediate_size", 1536),
    **latent_dims(1024, 512, 128, 64, 128),
    "n_index": ("index_n_heads", 64), "d_index": ("index_head_dim", 128),
}
#: Sizes of the layers with a window: dims with their keys, each behind ``swa_``.
SLIDING: dict[str, tuple[Any, ...]] = {
    "n_heads_sliding": ("swa_num_attention_heads", 64),
    "q_rank_sliding": ("swa_q_lora_rank", 1024), "kv_rank_sliding": ("swa_kv_lora_rank", 1024),
    "d_nope_sliding": ("swa_qk_nope_head_dim", 192), "d_v_sliding": ("swa_v_head_dim", 128),
}
#: The same in a file that transformers saved, where they are those of all layers if not given.
OWN = {"n_heads": "num_attention_heads", "q_rank": "q_lora_rank", "kv_rank": "kv_lora_rank",
       "d_nope": "qk_nope_head_dim", "d_rope": "qk_rope_head_dim", "d_v": "v_head_dim"}
FFNS = {"dense": "dense", "sparse": "sparse"}
KINDS = {"full_attention": "full", "indexed_attention": "indexed", "sliding_attention": "sliding"}
UNUSED = frozenset("index_topk mlp_bias sliding_window sliding_window_size swa_rope_theta".split())


def build(config: Config, name: str) -> Model:
    """A language model of dots3-note: kinds of layer by what they see and by experts."""
    task = config.task(CLASSES, "causal")
    depth = depth_of(config, "num_hidden_layers", 46)
    values = config.dims(DIMS)
    config.only("num_key_value_heads", values["n_heads"], None)
    sees, ffns = _sees(config, depth), _ffns(config, depth)
    shared = config.count_of("moe_shared_expert_intermediate_size",
                             "shared_experts_intermediate_size", default=1536)
    values["d_shared"] = shared * config.count_of("n_shared_experts", default=1)
    sliding = _sliding(config, values, {i for i, kind in enumerate(sees) if kind == "sliding"})
    bias = config.flag("attention_bias", False)
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS | UNUSED)
    values |= sliding if "sliding" in sees else {}
    window = "sliding_window" if config.data.get("sliding_window") else "sliding_window_size"
    model = decoder_model(config, name, task, values, _blocks(bias), tied=tied,
                          pattern=[f"{a}_{b}" for a, b in zip(sees, ffns, strict=True)],
                          final_norm=find("norm", "rmsnorm")(), names=FUSED_EXPERTS,
                          windows=Sliding(key=window, default=512, listed="", rule=lambda *_: (
                              i for i, kind in enumerate(sees) if kind == "sliding")))
    return with_selection(model, config, stacks="indexed") if "indexed" in sees else model


def _sees(config: Config, depth: int) -> list[str]:
    """What each layer sees; an older key says whether those without a window have an indexer."""
    saved = KEY in config and "use_dsa" not in config  # a newer file says itself which is which
    indexed = config.flag("use_dsa", True)
    slides = config.flag("use_sliding_window", True)
    found = config.kinds("layer_types", KINDS, depth, lambda i: (
        "indexed_attention" if not slides or i < 2 or i % 4 == 1 else "sliding_attention"))
    if saved:
        return found
    return ["sliding" if kind == "sliding" else "indexed" if indexed else "full" for kind in found]


def _ffns(config: Config, depth: int) -> list[str]:
    """Listed, or sparse from a layer on, each of so many or where another list says so."""
    dense, each = config.number("first_k_dense_replace", 1), config.raw("moe_layer_freq", 1)
    if isinstance(each, list) and len(each) == depth and all(i in (0, 1) for i in each):
        chosen = [bool(i) for i in each]
    else:
        step = config.count_of("moe_layer_freq", default=1)
        chosen = [i % step == 0 for i in range(depth)]
    return config.kinds("mlp_layer_types", FFNS, depth, lambda i: (
        "sparse" if i >= dense and chosen[i] else "dense"))


def _sliding(config: Config, values: dict[str, int], layers: Collection[int]) -> dict[str, int]:
    """The sizes of the layers with a window; what is rotated is the rest of a head."""
    if KEY in config:
        over = overrides(config, layers, (*OWN.values(), "head_dim", "num_key_value_heads"))
        return {f"{dim}_sliding": over.get(key, values[dim]) for dim, key in OWN.items()}
    found = config.dims(SLIDING)
    config.only("swa_num_key_value_heads", None, found["n_heads_sliding"])
    head = config.count_of("swa_head_dim", default=256)
    rest = config.optional_count("swa_qk_rope_head_dim") or head - found["d_nope_sliding"]
    if rest + found["d_nope_sliding"] != head or rest < 1:
        raise config.error("swa_head_dim", "a head is a part that is rotated and one that is not")
    return {**found, "d_rope_sliding": rest}


def _blocks(bias: bool) -> dict[str, Block]:
    norms = norm_slots(find("norm", "rmsnorm")(), 2)
    ffns = {"dense": slot("ffn", "swiglu"), "sparse": slot("ffn", "moe", balance=True, shared=True)}
    found: dict[str, Block] = {}
    for kind in KINDS.values():
        names = ("n_heads", "q_rank", "kv_rank", "d_nope", "d_rope", "d_v")
        bound = {dim: f"{dim}_sliding" for dim in names} if kind == "sliding" else {}
        rotated = bound.get("d_rope", "d_rope")
        heads = {"n_heads": bound["n_heads"]} if bound else {}
        attention: Block = (
            slot("attention", "mla", None, bound, bias=bias),
            slot("norms.rotated", "rmsnorm", "self_attn.k_rope_only_layernorm.",
                 {"d_model": rotated}),
            slot("head_gate", "heads", None, heads, kind="head-gate"))
        if kind == "indexed":
            attention += (slot("indexer", "lightning"),)
        found |= {f"{kind}_{ffn}": (*attention, each, *norms) for ffn, each in ffns.items()}
    return found
