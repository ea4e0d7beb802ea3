"""LFM2: short convolutions with an attention here and there, dense or with experts.

Source: Liquid AI 2025, arXiv:2511.23404; transformers, models/lfm2 and models/lfm2_moe.
"""

from __future__ import annotations

from typing import Any

from symparam.components import find
from symparam.descriptions.assembling.assemble import (
    FUSED_EXPERTS,
    Block,
    Places,
    classes,
    decoder_model,
    slot,
)
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.reading.source import shown
from symparam.layout import entries, entry
from symparam.model import Model
from symparam.stack import Slot

MODEL_TYPES = ("lfm2", "lfm2_moe")
CLASSES = {"lfm2": classes("Lfm2"), "lfm2_moe": classes("Lfm2Moe")}
SHARED = {
    "V": ("vocab_size", 65536), "L": ("num_hidden_layers", 32),
    "n_heads": ("num_attention_heads", 32), "n_kv": ("num_key_value_heads", 8),
    "d_head": ("head_dim", None), "k_conv": ("conv_L_cache", 3),
}
DIMS: dict[str, dict[str, tuple[Any, ...]]] = {
    "lfm2": {**SHARED, "d_model": ("hidden_size", 2560)},
    "lfm2_moe": {**SHARED, "d_model": ("hidden_size", 2048), "d_ff": ("intermediate_size", 7168),
                 "d_expert": ("moe_intermediate_size", 1792), "n_experts": ("num_experts", 32),
                 "top_k": ("num_experts_per_tok", 4)},
}
HARMLESS = NO_TABLE | frozenset("""
    block_mlp_init_scale block_norm_eps block_out_init_scale block_use_xavier_init
    conv_use_xavier_init theta
""".split())
KINDS = {"full_attention": "attention", "attention": "attention", "conv": "conv"}
NAMES = (
    *FUSED_EXPERTS, *entries("*.attention", O="out_proj"),
    entry("*.attention", "g_Q", ".q_layernorm.weight"),
    entry("*.attention", "g_K", ".k_layernorm.weight"),
    entry("*.ffn", "balance", ".expert_bias"), entry("*.ffn", "W_gate", ".w1.weight"),
    entry("*.ffn", "W_up", ".w3.weight"), entry("*.ffn", "W_down", ".w2.weight"),
)


def build(config: Config, name: str) -> Model:
    """An LFM2; the layers with experts follow the dense ones."""
    sparse = config.model_type == "lfm2_moe"
    task = config.task(CLASSES[config.model_type], "causal")
    values = config.dims(DIMS[config.model_type])
    depth = values.pop("L")
    if sparse:
        first = config.number("num_dense_layers", 2)
        if config.raw("layer_types", None) is None:
            raise config.error("layer_types", "missing: which layers attend is not known")
        pattern = [kind + "_sparse" * (i >= first) for i, kind in enumerate(
            config.kinds("layer_types", KINDS, depth, lambda _: "conv"))]
    else:
        values["d_ff"] = _inner_width(config)
        pattern = _pattern(config, depth)
    bias = config.flag("conv_bias", False)
    balance = sparse and config.flag("use_expert_bias", True)
    tied = config.flag("tie_word_embeddings", True)
    tied = config.flag("tie_embedding", tied) if "tie_embedding" in config else tied
    _repeated(config, values)
    config.close(HARMLESS)
    return decoder_model(config, name, task, values, _blocks(bias, balance), pattern=pattern,
                         final_norm=find("norm", "rmsnorm")(), tied=tied, names=NAMES,
                         places=Places(final_norm="embedding_norm."))


def _inner_width(config: Config) -> int:
    """Two thirds of the number given, times a factor, up to a multiple; or the number itself."""
    if "block_ff_dim" in config:  # it outranks the newer name
        config.raw("intermediate_size", None)
        given = config.count_of("block_ff_dim")
    else:
        given = config.count_of("intermediate_size", default=12288)
    adjusted = config.flag("block_auto_adjust_ff_dim", True)
    factor = config.raw("block_ffn_dim_multiplier", 1.0)
    multiple = config.count_of("block_multiple_of", default=256)
    if not adjusted:
        return given
    width = int(2 * given / 3)
    if factor is None:
        return width
    if type(factor) not in (int, float) or not 0 < factor < 1000:
        raise config.error("block_ffn_dim_multiplier", f"expected a number, found {shown(factor)}")
    return -(-int(factor * width) // multiple) * multiple


def _pattern(config: Config, depth: int) -> list[str]:
    attends = config.raw("full_attn_idxs", None)
    if attends is not None and not (isinstance(attends, list)
                                    and all(type(each) is int for each in attends)):
        raise config.error("full_attn_idxs", f"expected layer numbers, found {shown(attends)}")
    return config.kinds("layer_types", KINDS, depth, lambda i: (
        "full_attention" if attends is None or i in attends else "conv"))


def _repeated(config: Config, values: dict[str, int]) -> None:
    """Keys of the first releases that say again what others say."""
    for key in ("block_dim", "conv_dim", "conv_dim_out"):
        config.only(key, values["d_model"])
    config.only("num_heads", values["n_heads"])
    config.only("block_use_swiglu", True)
    config.only("use_pos_enc", True)


def _blocks(bias: bool, balance: bool) -> dict[str, Block]:
    norm = find("norm", "rmsnorm")()
    norms = (Slot("norms.mixer", norm, "operator_norm."), Slot("norms.ffn", norm, "ffn_norm."))
    mixers = {"attention": slot("attention", "gqa", qk_norm=True),
              "conv": slot("mixer", "short-convolution", bias=bias)}
    dense = slot("ffn", "swiglu", "feed_forward.")
    sparse = slot("ffn", "moe", "feed_forward.", balance=balance)
    return {kind + tail: (mixer, ffn, *norms) for kind, mixer in mixers.items()
            for tail, ffn in (("", dense), ("_sparse", sparse))}
