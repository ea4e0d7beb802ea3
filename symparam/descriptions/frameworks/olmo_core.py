"""OLMo-core: a ``TransformerConfig`` as its trainer saves it, alone or in an experiment's.

Kinds of block that differ in what changes no weight (windows, rotary positions) are one kind.

Source: ai2-olmo-core 3.0.0, olmo_core/nn/transformer/config.py, nn/attention and nn/feed_forward.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symparam.component import Component
from symparam.components import find
from symparam.descriptions.assemble import Block, Places, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.layout import entries, entry
from symparam.model import Model, Slot

NAME = "OLMo-core"
PLACES = Places(top="", token="embeddings.", layers="blocks.*.", final_norm="lm_head.norm.",
                head="lm_head.w_out.")
NAMES = (*entries("*.attention", Q="w_q", K="w_k", V="w_v", O="w_out"),
         *entries("*.ffn", gate="w1", up="w3", down="w2"),
         entry("*.qk-norm", "g_Q", ".q_norm.weight"), entry("*.qk-norm", "g_K", ".k_norm.weight"))
DIMS = {"V": ("vocab_size", None), "L": ("n_layers", None), "d_model": ("d_model", None)}
_CLASS = "TransformerConfig"
_NORMS = ("rms", "qwen_rms")
#: Where the norms of a block stand, by the block's name.
_BEFORE = {"norms.attention": "attention_norm.", "norms.ffn": "feed_forward_norm."}
BLOCKS: dict[str, dict[str, str]] = {
    "default": _BEFORE,
    "reordered_norm": {"norms.attention_out": "attention_norm.",
                       "norms.ffn_out": "feed_forward_norm."},
    "peri_norm": {**_BEFORE, "norms.attention_out": "post_attention_norm.",
                  "norms.ffn_out": "post_feed_forward_norm."}}
#: What changes no weight, of any table.
HARMLESS = frozenset("""
    _CLASS_ dtype eps rope backend use_flash sliding_window scalable_softmax dropout
    init_method init_seed init_std embed_scale loss_implementation full_precision embedding_init_std
    residual_alpha attention_residual_alpha feed_forward_residual_alpha clip_qkv softmax_scale
    block_pattern freeze_params
""".split())


def recognised(file: str, data: Mapping[str, Any]) -> bool:
    """Whether a table is one of OLMo-core's: it names its class."""
    return str(normal(data).get("_CLASS_", "")).endswith(f".{_CLASS}")


def normal(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The model's table, of an experiment's."""
    inner = data.get("model")
    return inner if "d_model" not in data and isinstance(inner, dict) else data


def build(config: Config, name: str) -> Model:
    """A decoder; its blocks have the same weights."""
    task = config.task({"Transformer": "causal"}, "causal")
    values: dict[str, int] = {dim: config.count_of(key) for dim, (key, _) in DIMS.items()}
    config.only("name", "default")
    tied = config.flag("tie_word_embeddings", False)
    for key in ("block_overrides", "vocab_size_multiple", "float8_config"):
        config.only(key, None, {})
    block = _blocks(config, values)
    values.setdefault("d_head", values["d_model"] // values["n_heads"])  # rounded, as its code does
    head = config.part("lm_head", NAME)
    head.only("name", "default")
    final, bias = _norm(head, "layer_norm"), head.boolean("bias")
    head.close(HARMLESS)
    config.close(HARMLESS)
    return decoder_model(config, name, task, values, block, tied=tied, head_bias=bias,
                         final_norm=final, places=PLACES, names=NAMES)


def _blocks(config: Config, values: dict[str, int]) -> Block:
    """The block of every layer; those of several kinds have to have the same weights."""
    outer = config.part("block", NAME)
    if "sequence_mixer" in outer or "_CLASS_" in outer:
        found, numbers = _block(outer)
        values |= numbers
        return found
    kinds = [_block(outer.part(key, NAME)) for key in outer.data]
    if not kinds or any(kind != kinds[0] for kind in kinds):
        raise config.error("block", "kinds of block with other weights are not understood")
    config.left_out.append("the window of some layers: what they keep is counted without it")
    values |= kinds[0][1]
    return kinds[0][0]


def _block(config: Config) -> tuple[Block, dict[str, int]]:
    """The slots of a block, and the numbers that stand in it."""
    kind = config.text("name", "default")
    if kind not in BLOCKS:
        raise config.error("name", f"{kind[:40]!r} is not understood; handled: {', '.join(BLOCKS)}")
    norm = _norm(config, "layer_norm")
    mixer, ffn = config.part("sequence_mixer", NAME), config.part("feed_forward", NAME)
    for part, key, allowed in ((mixer, "name", "default"), (mixer, "type", "attention"),
                               (ffn, "name", "default")):
        part.only(key, allowed)
    mixer.only("attention_sinks", False, None)
    mixer.only("gate", None)
    values = {"n_heads": mixer.count_of("n_heads"), "d_ff": ffn.count_of("hidden_size")}
    for dim, key in (("n_kv", "n_kv_heads"), ("d_head", "head_dim")):
        if (number := mixer.optional_count(key)) is not None:
            values[dim] = number
    normed = mixer.raw("qk_norm", None) is not None
    whole = mixer.flag("use_head_qk_norm", False)
    if normed:
        _norm(mixer, "qk_norm")
    slots: Block = (slot("attention", "gqa", "attention.", bias=mixer.boolean("bias"),
                         qk_norm=normed and whole),)
    if normed and not whole:
        slots += (slot("qk-norm", "width", "attention."),)
    ffn.only("activation", "silu", "gelu_tanh", "gelu")
    gated = "swiglu" if ffn.text("activation", "silu") == "silu" else "geglu"
    slots += (slot("ffn", gated, "feed_forward.", bias=ffn.boolean("bias")),)
    for part in (mixer, ffn, config):
        part.close(HARMLESS)
    return (*slots, *(Slot(path, norm, prefix) for path, prefix in BLOCKS[kind].items())), values


def _norm(config: Config, key: str) -> Component:
    """The norm that a table describes: RMSNorm without a bias."""
    inner = config.part(key, NAME)
    inner.only("name", *_NORMS)
    inner.only("bias", False)
    inner.close(HARMLESS)
    return find("norm", "rmsnorm")()
