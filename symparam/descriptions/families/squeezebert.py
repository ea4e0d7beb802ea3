"""SqueezeBERT: BERT whose linear layers work in groups of channels. Its head keeps the pooler.

Source: Iandola et al. 2020, arXiv:2006.11316; transformers, models/squeezebert.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.encoder import (
    HARMLESS,
    Around,
    absolute_positions,
    encoder_model,
    read_dims,
    tables,
)
from symparam.descriptions.config import Config
from symparam.model import Model
from symparam.stack import Slot

MODEL_TYPES = ("squeezebert",)
CLASSES = {"SqueezeBertModel": "base", "SqueezeBertForMaskedLM": "mlm"}
AROUND = Around(top="transformer.", layers="encoder.layers.*.", pooler_stays=True)
#: Each linear layer of a block: path, key of its groups, default, output, input, tensor names.
PARTS = (
    ("attention.Q", "q_groups", 4, "d_model", "d_model", "attention.query."),
    ("attention.K", "k_groups", 4, "d_model", "d_model", "attention.key."),
    ("attention.V", "v_groups", 4, "d_model", "d_model", "attention.value."),
    ("attention.O", "post_attention_groups", 1, "d_model", "d_model", "post_attention.conv1d."),
    ("ffn.up", "intermediate_groups", 4, "d_ff", "d_model", "intermediate.conv1d."),
    ("ffn.down", "output_groups", 4, "d_model", "d_ff", "output.conv1d."),
)


def build(config: Config, name: str) -> Model:
    """A SqueezeBERT from its configuration; the encoder with pooler where no class is named."""
    task = config.task(CLASSES, "base")
    values = read_dims(config)
    heads = values["n_heads"]
    if values["d_model"] % heads:
        raise config.error("num_attention_heads", f"{heads} heads do not split a width of "
                           f"{values['d_model']}")
    width = config.count_of("embedding_size", default=768)
    if width != values["d_model"]:
        raise config.error("embedding_size", f"{width} is not the width of {values['d_model']}: "
                           "there is no projection between them")
    parts = tuple(grouped(config, values, *part) for part in PARTS)
    tied = config.flag("tie_word_embeddings", True)
    absolute_positions(config)
    config.close(HARMLESS)
    norms = (slot("norms.attention", "layernorm", "post_attention.layernorm."),
             slot("norms.ffn", "layernorm", "output.layernorm."))
    return encoder_model(config, name, task, values, (*parts, slot("heads", "plain"), *norms),
                         AROUND, tied=tied, embedding=tables(), names=())


def grouped(config: Config, values: dict[str, int], path: str, key: str, default: int,
            output: str, taken: str, prefix: str) -> Slot:
    """One linear layer, the width of whose groups becomes a dim of its own."""
    groups = config.count_of(key, default=default)
    for width in (output, taken):
        if values[width] % groups:
            raise config.error(key, f"{groups} groups do not split {width} = {values[width]}")
    dim = f"d_{path.rpartition('.')[2]}_group"
    values[dim] = values[taken] // groups
    return slot(path, "grouped-linear", prefix, {"d_model": output, "d_group": dim},
                kind="grouped-linear")
