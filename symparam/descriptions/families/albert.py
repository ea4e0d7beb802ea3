"""ALBERT: a narrow embedding that is projected, and layers that are stored once and applied often.

The layers fall into groups; each group is stored once, has one or more inner layers, and is
applied in turn until all layers have run.

Source: Lan et al. 2019, arXiv:1909.11942; transformers, models/albert.
"""

from __future__ import annotations

from dataclasses import replace

from symparam import expression as ex
from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.encoder import DIMS as ENCODER_DIMS
from symparam.descriptions.assembling.encoder import (
    HARMLESS,
    Around,
    Head,
    absolute_positions,
    encoder_model,
    read_dims,
    tables,
)
from symparam.descriptions.config import Config
from symparam.layout import entries
from symparam.model import Model
from symparam.stack import Repeat

MODEL_TYPES = ("albert",)
CLASSES = {"AlbertModel": "base", "AlbertForMaskedLM": "mlm"}
DIMS = ENCODER_DIMS | {
    "V": ("vocab_size", 30000), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 64), "d_ff": ("intermediate_size", 16384),
    "d_embed": ("embedding_size", 128),
}
MORE_HARMLESS = frozenset("down_scale_factor gap_size net_structure_type num_memory_blocks".split())
NAMES = (*entries("*.attention", Q="query", K="key", V="value", O="dense"),
         *entries("*.ffn", up="ffn", down="ffn_output"))
AROUND = Around(
    top="albert.", layers="encoder.albert_layer_groups.*.albert_layers.*.", pooler="pooler.",
    head=Head(transform="predictions.dense.", norm="predictions.LayerNorm.",
              decoder="predictions.decoder.", bias="predictions.bias", width="d_embed"))


def build(config: Config, name: str) -> Model:
    """An ALBERT from its configuration; the encoder with pooler where no class is named."""
    task = config.task(CLASSES, "base")
    values = read_dims(config, dims=DIMS)
    repeat, inner = shared(config, values)
    tied = config.flag("tie_word_embeddings", True)
    absolute_positions(config)
    config.close(HARMLESS | MORE_HARMLESS)
    block = (slot("attention", "mha", "attention.", bias=True), slot("ffn", "mlp", "", bias=True),
             slot("norms.attention", "layernorm", "attention.LayerNorm."),
             slot("norms.ffn", "layernorm", "full_layer_layer_norm."))
    narrow = {"d_model": "d_embed"}
    model = encoder_model(
        config, name, task, values, block, AROUND, tied=tied, token=narrow, repeat=repeat,
        embedding=tables(width="d_embed"), names=NAMES, projection=(slot(
            "linear", "linear", "encoder.embedding_hidden_mapping_in.", kind="projection",
            bias=True),))
    return replace(model, stacks=tuple(
        replace(stack, inner=inner) if stack.repeat else stack for stack in model.stacks))


def shared(config: Config, values: dict[str, int]) -> tuple[Repeat, int]:
    """Over what the layer is repeated, L counting the layers that are applied, inner ones too; and
    how many are stored in a group."""
    groups = config.count_of("num_hidden_groups", default=1)
    inner = config.count_of("inner_group_num", default=1)
    if groups > values["L"]:
        raise config.error("num_hidden_groups", f"{groups} groups, more than the {values['L']} "
                           "layers that are to run through them")
    values["L"] *= inner
    stored: ex.Expr = ex.Num(1)
    if groups * inner > 1:
        stored, values["L_stored"] = ex.Sym("L_stored"), groups * inner
    return Repeat(stored, ex.Sym("L"), stored), inner
