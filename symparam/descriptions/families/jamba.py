"""Jamba: Mamba layers with an attention among them, every other FFN a mixture.

Source: Lieber et al. 2024, arXiv:2403.19887; Jamba team 2024, arXiv:2408.12570; transformers,
models/jamba.
"""

from __future__ import annotations

from collections.abc import Callable

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
from symparam.descriptions.families.mamba import inner_width, mamba_bias, rank_or_auto
from symparam.descriptions.harmless import NO_TABLE
from symparam.layout import entry
from symparam.model import Model
from symparam.stack import Slot

MODEL_TYPES = ("jamba",)
CLASSES = classes("Jamba")
DIMS = {
    "V": ("vocab_size", 65536), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 32), "n_kv": ("num_key_value_heads", 8),
    "d_head": ("head_dim", None), "d_ff": ("intermediate_size", 14336),
    "n_experts": ("num_experts", "num_local_experts", 16), "top_k": ("num_experts_per_tok", 2),
    "d_state": ("mamba_d_state", 16), "k_conv": ("mamba_d_conv", 4),
}
HARMLESS = NO_TABLE | frozenset("""
    calc_logits_for_entire_prompt sliding_window use_associative_scan use_mamba_kernels use_mambapy
""".split())
NAMES = (*FUSED_EXPERTS, entry("*.ffn", "W_router", ".router.weight"))


def build(config: Config, name: str) -> Model:
    """A Jamba: which layers attend and which are sparse follows from periods and offsets."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS, nullable=("n_kv",)) | rank_or_auto(config, "mamba_dt_rank")
    expand = config.count_of("mamba_expand", default=2)
    bias = mamba_bias(config.flag("mamba_proj_bias", False), config.flag("mamba_conv_bias", True))
    attends = _every(config, "attn_layer", 8, 4)
    sparse = _every(config, "expert_layer", 2, 1)
    tied = config.flag("tie_word_embeddings", False)
    depth = config.number("num_hidden_layers", values.pop("L"))
    config.only("mamba_inner_layernorms", True)
    config.close(HARMLESS)
    norm = find("norm", "rmsnorm")()
    pattern = [_kind(attends(i), values["n_experts"] > 1 and sparse(i))
               for i in range(depth)]
    return decoder_model(config, name, task, values, _blocks(bias), pattern=pattern,
                         final_norm=norm, tied=tied, positions="none", names=NAMES,
                         places=Places(final_norm="final_layernorm."),
                         equations=[inner_width(expand)])


def _every(config: Config, what: str, period: int, offset: int) -> Callable[[int], bool]:
    every = config.count_of(f"{what}_period", default=period)
    first = config.number(f"{what}_offset", offset)
    if first >= every:
        raise config.error(f"{what}_offset", f"must be below {what}_period = {every}, found "
                           f"{first}")
    return lambda layer: layer % every == first


def _kind(attends: bool, sparse: bool) -> str:
    return ("attention" if attends else "mamba") + "_sparse" * sparse


def _blocks(bias: list[str]) -> dict[str, Block]:
    norm = find("norm", "rmsnorm")()
    norms = (Slot("norms.mixer", norm, "input_layernorm."),
             Slot("norms.ffn", norm, "pre_ff_layernorm."))
    mixers = {"attention": slot("attention", "gqa"),
              "mamba": slot("mixer", "mamba", "mamba.", bias=bias, inner_norms=True)}
    dense = slot("ffn", "swiglu", "feed_forward.")
    sparse = slot("ffn", "moe", "feed_forward.", {"d_expert": "d_ff"})
    return {kind + tail: (mixer, ffn, *norms) for kind, mixer in mixers.items()
            for tail, ffn in (("", dense), ("_sparse", sparse))}
