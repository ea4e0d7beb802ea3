"""Qwen's encoders of pictures and films: patches of several frames, a merger of four at the end.

Qwen2-VL has LayerNorms and two matrices in its network, 2.5 has Llama's layers with biases, 3 the
first again with learned positions, and further mergers of what earlier layers put out.

Source: Wang et al. 2024, arXiv:2409.12191; Bai et al. 2025, arXiv:2502.13923; transformers,
models/qwen2_vl, models/qwen2_5_vl, models/qwen3_vl, models/qwen3_5, models/exaone4_5.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.descriptions.assembling.assemble import Block, slot
from symparam.descriptions.assembling.pictures import (
    D_MERGED,
    D_OUT,
    MERGED,
    N_MERGE,
    merger,
    picture_encoder,
    sides,
)
from symparam.descriptions.config import Config
from symparam.dims import Dim
from symparam.layout import Entry, entries
from symparam.model import Model
from symparam.stack import Repeat, Stack

COMMON: dict[str, tuple[Any, ...]] = {
    "L": ("depth", 27), "d_model": ("hidden_size", 1152), "d_ff": ("intermediate_size", 4304),
    "n_heads": ("num_heads", 16), "n_channels": ("in_channels", 3),
    "n_frames": ("temporal_patch_size", 2), "n_merge": ("spatial_merge_size", 2),
    "d_out": ("out_hidden_size", 3584)}
SECOND = COMMON | {"L": ("depth", 32), "d_model": ("embed_dim", 1280),
                   "d_out": ("hidden_size", 3584)}
SECOND_HALF = COMMON | {"L": ("depth", 32), "d_model": ("hidden_size", 3584),
                        "d_ff": ("intermediate_size", 3420)}
THIRD = COMMON | {"n_ctx": ("num_position_embeddings", 2304)}


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A generation.

    Attributes:
        cls: its class.
        dims: where its dims stand.
        patch: the side of a patch where nothing says it.
        gated: whether it has Llama's layers.
        third: whether it has learned positions, and a bias of the patches.
        deep: whether earlier layers have mergers too.
        grouped: whether its queries are grouped.
    """

    cls: str
    dims: Mapping[str, tuple[Any, ...]]
    patch: int = 14
    gated: bool = False
    third: bool = False
    deep: bool = False
    grouped: bool = False


KINDS = {
    "qwen2_vl_vision": Kind(cls="Qwen2VisionTransformerPretrainedModel", dims=SECOND),
    "qwen2_5_vl_vision": Kind(cls="Qwen2_5_VisionTransformerPretrainedModel", dims=SECOND_HALF,
                              gated=True),
    "qwen3_vl_vision": Kind(cls="Qwen3VLVisionModel", dims=THIRD, patch=16, third=True, deep=True),
    "qwen3_vl_moe_vision": Kind(cls="Qwen3VLMoeVisionModel", dims=THIRD, patch=16, third=True,
                                deep=True),
    "qwen3_5_vision": Kind(cls="Qwen3_5VisionModel", dims=THIRD, patch=16, third=True),
    "qwen3_5_moe_vision": Kind(cls="Qwen3_5MoeVisionModel", dims=THIRD, patch=16, third=True),
    "exaone4_5_vision": Kind(cls="Exaone4_5_VisionModel", gated=True, grouped=True,
                             dims=SECOND_HALF | {"n_kv": ("num_key_value_heads", 8)}),
}
MODEL_TYPES = tuple(KINDS)
N_DEEP = Dim("n_deep", r"n_{\text{deep}}", "earlier layers with a merger of their own")
#: Which layers see windows alone, and what published files say that nothing reads.
HARMLESS = frozenset("""
    deepstack_visual_indexes fullatt_block_indexes in_chans spatial_patch_size tokens_per_second
    window_size
""".split())
NAMES = entries("*.attention", Q_K_V="qkv", O="proj")
DEEPER = (8, 16, 24)


def build(config: Config, name: str) -> Model:
    """The encoder from its configuration."""
    kind = KINDS[config.model_type]
    config.task({kind.cls: "base"}, "base")
    table = dict(kind.dims)
    ratio = config.count_of("mlp_ratio", default=4) if kind.dims is SECOND else 0
    if ratio:
        del table["d_ff"]
    values = config.dims(table) | sides(config, {"d_patch": ("patch_size", kind.patch)})
    if ratio:
        values["d_ff"] = ratio * values["d_model"]
    deep = config.raw("deepstack_visual_indexes", list(DEEPER)) if kind.deep else []
    if not isinstance(deep, list):
        raise config.error("deepstack_visual_indexes", "expected a list of layers")
    config.close(HARMLESS)
    further = [Stack("merger", _merger(kind, "d_model"), prefix="merger.")]
    if deep:
        values["n_deep"] = len(deep)
        further.append(Stack("deepstack", _merger(kind, "d_merged"), Repeat.times(
            ex.Sym("n_deep")), "deepstack_merger_list.*."))
    positions = (slot("positions", "learned", "pos_embed."),) if kind.third else ()
    return picture_encoder(
        config, name, values, _block(kind), "blocks.*.", embeddings="",
        before=(slot("patches", "patches", "patch_embed.proj.", frames=True, bias=kind.third),
                *positions),
        further=further, names=(*NAMES, *_network(kind)), equations=(MERGED,),
        declared=(N_MERGE, D_MERGED, D_OUT, N_DEEP))


def _block(kind: Kind) -> Block:
    norm = "rmsnorm" if kind.gated else "layernorm"
    return (slot("attention", "gqa" if kind.grouped else "mha", "attn.", bias=True),
            slot("ffn", "swiglu" if kind.gated else "mlp", "mlp.", bias=True),
            slot("norms.attention", norm, "norm1."), slot("norms.ffn", norm, "norm2."))


def _network(kind: Kind) -> Iterable[Entry]:
    """The names of the matrices of a layer's network."""
    word = "linear_fc" if kind.third else "fc"
    return () if kind.gated else entries("*.ffn", up=f"{word}1", down=f"{word}2")


def _merger(kind: Kind, normed: str) -> Block:
    """A norm, of each patch or of those that are merged, and two matrices."""
    norm = "rmsnorm" if kind.gated else "layernorm"
    if kind.third:
        return merger(norm, normed, ("norm.", "linear_fc1.", "linear_fc2."))
    return merger(norm, normed)
