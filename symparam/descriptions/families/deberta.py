"""DeBERTa, its V2 and V3: content and relative positions attend to each other apart.

One table of relative positions serves all layers. V1 fuses queries, keys and values and gives the
keys no bias; V2 may share the projections of positions with those of content, and its XL has a
convolution beside the first layer. V3 is V2 trained otherwise.

Source: He et al. 2020, arXiv:2006.03654; He et al. 2021, arXiv:2111.09543; transformers,
models/deberta and models/deberta_v2.
"""

from __future__ import annotations

from typing import Any

from symparam.constraints import Differs
from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.encoder import DIMS as ENCODER_DIMS
from symparam.descriptions.assembling.encoder import (
    HARMLESS,
    LAYER_NAMES,
    Around,
    Head,
    absolute_positions,
    encoder_model,
    layer,
    read_dims,
    tables,
)
from symparam.descriptions.config import Config
from symparam.layout import entries, entry
from symparam.model import Model
from symparam.resolve import whole_number
from symparam.stack import Slot

MODEL_TYPES = ("deberta", "deberta-v2")
STEMS = {"deberta": "Deberta", "deberta-v2": "DebertaV2"}
DIMS = {dim: keys for dim, keys in ENCODER_DIMS.items() if dim != "n_types"}
DIMS_V1: dict[str, tuple[Any, ...]] = DIMS | {"V": ("vocab_size", 50265)}
DIMS_V2: dict[str, tuple[Any, ...]] = DIMS | {
    "V": ("vocab_size", 128100), "L": ("num_hidden_layers", 24), "d_model": ("hidden_size", 1536),
    "n_heads": ("num_attention_heads", 24), "d_ff": ("intermediate_size", 6144),
}
MORE_HARMLESS = frozenset("conv_act padding_idx pooler_hidden_act pooler_hidden_size".split())
NAMES_V1 = (entry("*.attention", "W_Q W_K W_V", ".self.in_proj.weight"),
            entry("*.attention", "b_Q", ".self.q_bias"),
            entry("*.attention", "b_V", ".self.v_bias"),
            *entries("*.attention", O="output.dense"),
            *entries("*.ffn", up="intermediate.dense", down="output.dense"),
            *entries("*.relative.c2p", PK="pos_proj"),
            *entries("*.relative.p2c", PQ="pos_q_proj"))
NAMES_V2 = (*LAYER_NAMES, *entries(
    "*.attention", Q="self.query_proj", K="self.key_proj", V="self.value_proj"))
LATER = Head(transform="lm_predictions.lm_head.dense.", norm="lm_predictions.lm_head.LayerNorm.",
             decoder="lm_predictions.lm_head.decoder.", bias="lm_predictions.lm_head.bias")


def build(config: Config, name: str) -> Model:
    """A DeBERTa from its configuration; the encoder, without a pooler, where no class is named."""
    first = config.model_type == "deberta"
    stem = STEMS[config.model_type]
    task = config.task({f"{stem}Model": "base", f"{stem}ForMaskedLM": "mlm"}, "base")
    values = read_dims(config, dims=DIMS_V1 if first else DIMS_V2)
    n_types = config.number("type_vocab_size", 0)
    positions = config.flag("position_biased_input", True)
    relative = position_slots(config, first)
    extra = extras(config, values, first)
    tied = config.flag("tie_word_embeddings", True)
    width = embedding_width(config, values)
    head, tied = masked_head(config, width, tied)
    absolute_positions(config)
    config.close(HARMLESS | MORE_HARMLESS)
    if n_types:
        values["n_types"] = n_types
    if not positions:
        del values["n_ctx"]
    narrow = width == "d_embed"
    inside = (slot("projection", "linear", "embed_proj."),) if narrow else ()
    beside = tables(positions=positions, segments=bool(n_types), norm=None, width=width)
    block = layer(attention="qv-bias" if first else "mha")
    return encoder_model(
        config, name, task, values, (*block, *relative),
        Around(top="deberta.", pooler=None, head=head), tied=tied, last=extra,
        token={"d_model": width} if narrow else None,
        embedding=(*beside, *inside, slot("norm", "layernorm", "LayerNorm.")),
        names=NAMES_V1 if first else NAMES_V2, checks=(Differs(
            "d_embed", "d_model", "an embedding as wide as the model is not projected"),))


def position_slots(config: Config, first: bool) -> tuple[Slot, ...]:
    """The projections of relative positions in a layer, if it has any of its own."""
    relative = config.flag("relative_attention", False)
    kinds = config.raw("pos_att_type", None) or []
    if isinstance(kinds, str):
        kinds = [kind.strip() for kind in kinds.lower().split("|")]
    if not isinstance(kinds, list) or any(kind not in ("c2p", "p2c") for kind in kinds):
        raise config.error("pos_att_type", "expected c2p, p2c or both, as a list or with | "
                           "between them")
    shared = False if first else config.flag("share_att_key", False)
    if first:
        config.only("talking_head", False)
    if not relative or not kinds:
        return ()
    if shared:
        return tuple(slot(f"relative.{end}", "shared", kind="relative-attention")
                     for end in ("c2p", "p2c") if end in kinds)
    ends = {"c2p": ("position-keys", not first), "p2c": ("position-queries", True)}
    return tuple(slot(f"relative.{end}", ends[end][0], kind="relative-attention",
                      bias=ends[end][1]) for end in ends if end in kinds)


def extras(config: Config, values: dict[str, int], first: bool) -> tuple[Slot, ...]:
    """What stands beside the layers: the table of relative positions, its norm, a convolution."""
    found = []
    span = config.integer("max_relative_positions", -1)
    buckets = -1 if first else config.integer("position_buckets", -1)
    if config.flag("relative_attention", False):
        n_rel = next(n for n in (buckets, span, values["n_ctx"]) if n > 0)
        values["n_rel"] = whole_number("n_rel", n_rel)
        found.append(slot("table", "relative-table", "encoder.rel_embeddings.",
                          kind="relative-table"))
    if first:
        return tuple(found)
    if "layer_norm" in [each.strip() for each in config.text(
            "norm_rel_ebd", "none").lower().split("|")]:
        found.append(slot("norms.table", "layernorm", "encoder.LayerNorm."))
    config.only("conv_groups", 1)
    if kernel := config.number("conv_kernel_size", 0):
        values["k_conv"] = kernel
        found += [slot("convolution", "convolution", "encoder.conv.conv.", kind="mixer",
                       bias=True),
                  slot("norms.convolution", "layernorm", "encoder.conv.LayerNorm.")]
    head_width = config.optional_count("attention_head_size")
    if head_width is not None and head_width * values["n_heads"] != values["d_model"]:
        raise config.error("attention_head_size", f"{head_width} times {values['n_heads']} heads "
                           f"is not the width of {values['d_model']}: not understood")
    return tuple(found)


def embedding_width(config: Config, values: dict[str, int]) -> str:
    """The dim that is the width of the embedding's tables."""
    width = config.optional_count("embedding_size")
    if width is None or width == values["d_model"]:
        return "d_model"
    values["d_embed"] = width
    return "d_embed"


def masked_head(config: Config, width: str, tied: bool) -> tuple[Head, bool]:
    """The masked-LM head, the older or the later one; the later one has no matrix of its own."""
    if config.flag("legacy", True):
        return Head(width=width), tied
    if width == "d_embed":
        raise config.error("legacy", "false needs an embedding as wide as the model")
    return LATER, True
