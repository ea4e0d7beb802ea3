"""dots3-note's encoder of pictures: gated layers, the later ones with more and more experts.

Source: transformers, models/dots3_note.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from symparam.descriptions.assembling.assemble import FUSED_EXPERTS, Block, slot
from symparam.descriptions.assembling.per_layer import KEY
from symparam.descriptions.assembling.pictures import (
    D_MERGED,
    D_OUT,
    MERGED,
    N_MERGE,
    merger,
    picture_encoder,
)
from symparam.descriptions.config import Config
from symparam.descriptions.reading.source import DataTable, guarded, shown
from symparam.dims import Dim
from symparam.layout import entries, entry
from symparam.model import Model
from symparam.resolve import whole_number
from symparam.stack import Stack

MODEL_TYPES = ("dots3_note_vision_encoder",)
CLASSES = {"Dots3NoteVisionModel": "base"}
DIMS: dict[str, tuple[Any, ...]] = {
    "d_model": ("embed_dim", "hidden_size", 1536), "d_ff": ("intermediate_size", 4224),
    "n_heads": ("num_heads", "num_attention_heads", 24), "n_channels": ("num_channels", 3),
    "d_patch": ("patch_size", 14), "n_merge": ("spatial_merge_size", 2),
    "d_out": ("adapter_out_dim", 5120), "d_expert": ("moe_intermediate_size", 2112)}
HARMLESS = frozenset("is_causal router_scale router_scaling_factor".split())
#: Experts of each layer where nothing says how many; a dense layer has -1.
PYRAMID = (*(-1,) * 25, *range(4, 65, 4), 64)
FFNS = {"dense": "dense", "sparse": "sparse"}
NAMES = (*FUSED_EXPERTS, *entries("*.attention", Q_K_V="qkv", O="proj"),
         entry("*.ffn", "balance", ".e_score_correction_bias"))


def build(config: Config, name: str) -> Model:
    """The encoder from its configuration: a kind of layer for each number of experts."""
    config.task(CLASSES, "base")
    values = config.dims(DIMS)
    config.only("adapter_in_dim", values["d_model"])
    config.only("adapter_merge_size", values["n_merge"])
    bias = config.flag("use_bias", config.flag("attention_bias", False))
    mlp_bias = config.flag("mlp_bias", False)
    top_k = config.count_of("num_experts_per_tok", "capacity_factor", default=2)
    experts = _experts(config, config.count_of("num_hidden_layers", default=42))
    if mlp_bias and any(experts):
        raise config.error("mlp_bias", "experts have no biases")
    config.close(HARMLESS)
    if not any(experts):
        values.pop("d_expert")
    if all(experts):
        values.pop("d_ff")
    kinds = sorted(set(experts))
    for number in filter(None, kinds):
        values |= {f"n_experts_{number}": number, f"top_k_{number}": min(top_k, number)}
    blocks = {_kind(number): _block(number, bias, mlp_bias) for number in kinds}
    return picture_encoder(
        config, name, values, blocks, "blocks.*.", embeddings="patch_embed.",
        pattern=[_kind(number) for number in experts],
        before=(slot("patches", "patches", "proj.", bias=True), slot("norm", "rmsnorm", "norm.")),
        after=(slot("norm", "rmsnorm", "norm."),), further=(
            Stack("merger", merger("layernorm"), prefix="merger."),),
        names=NAMES, equations=(MERGED,), declared=(N_MERGE, D_MERGED, D_OUT, *(
            each for number in filter(None, kinds) for each in (
                Dim(f"n_experts_{number}", rf"n_{{\text{{experts}},{number}}}",
                    f"experts of the layers with {number}"),
                Dim(f"top_k_{number}", rf"k_{{{number}}}",
                    "of them, experts that a patch uses")))))


def _kind(experts: int) -> str:
    return f"sparse_{experts}" if experts else "dense"


def _block(experts: int, bias: bool, mlp_bias: bool) -> Block:
    """A layer with so many experts, or a gated network where there are none."""
    ffn = slot("ffn", "moe", None, {"n_experts": f"n_experts_{experts}",
                                    "top_k": f"top_k_{experts}"}, balance=True) if experts else (
        slot("ffn", "swiglu", bias=mlp_bias))
    return (slot("attention", "mha", "attn.", bias=bias, qk_norm=True), ffn,
            slot("norms.attention", "rmsnorm", "norm1."), slot("norms.ffn", "rmsnorm", "norm2."))


def _experts(config: Config, depth: int) -> list[int]:
    """How many experts each layer has; none where it is dense."""
    listed = config.raw("pyramid_num_routed", None)
    if listed is None and config.raw("mlp_layer_types", None) is None:
        listed = list(PYRAMID)
    if listed is None:
        number = config.count_of("num_local_experts", default=64)
        own = _own(config, depth)
        return [own.get(i, number) if kind == "sparse" else 0 for i, kind in enumerate(
            config.kinds("mlp_layer_types", FFNS, depth, lambda _: "dense"))]
    config.read.update(("mlp_layer_types", "num_local_experts"))
    config.only(KEY, None)
    if not isinstance(listed, list) or len(listed) != depth or any(
            type(each) is not int for each in listed):
        raise config.error("pyramid_num_routed", f"expected {depth} numbers of experts")
    return [max(each, 0) for each in listed]


def _own(config: Config, depth: int) -> dict[int, int]:
    """The layers that have another number of experts, in a file that transformers saved."""
    if config.raw(KEY, None) is None:
        return {}
    table, found = config.table(KEY), dict[int, int]()
    for key in table.data:
        if not (key.isascii() and key.isdecimal()) or int(key[:12]) >= depth:
            raise table.error(key[:60], f"{shown(key)} is no layer of {depth}")
        row = table.table(key)
        row.only_keys(("num_local_experts", "num_experts_per_tok"))
        if "num_local_experts" in row.data:
            found[int(key)] = guarded(row, "num_local_experts", partial(_number, row))
    return found


def _number(row: DataTable) -> int:
    return whole_number("num_local_experts", row.integer("num_local_experts"))
