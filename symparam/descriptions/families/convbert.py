"""ConvBERT: ELECTRA with a convolution for half of each head, and networks that may be grouped.

Source: Jiang et al. 2020, arXiv:2008.02496; transformers, models/convbert.
"""

from __future__ import annotations

from dataclasses import replace

from symparam.constraints import Differs
from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.encoder import DIMS as ENCODER_DIMS
from symparam.descriptions.assembling.encoder import (
    HARMLESS,
    Around,
    Head,
    absolute_positions,
    encoder_model,
    layer,
    read_dims,
    tables,
)
from symparam.descriptions.config import Config
from symparam.model import Model

MODEL_TYPES = ("convbert",)
CLASSES = {"ConvBertModel": "base", "ConvBertForMaskedLM": "mlm"}
DIMS = ENCODER_DIMS | {"d_embed": ("embedding_size", 768), "k_conv": ("conv_kernel_size", 9)}
AROUND = Around(top="convbert.", pooler=None)
GENERATOR = Head(transform="generator_predictions.dense.", decoder="generator_lm_head.",
                 norm="generator_predictions.LayerNorm.", bias=None, component="lm")


def build(config: Config, name: str) -> Model:
    """A ConvBERT from its configuration; the encoder where no class is named."""
    task = config.task(CLASSES, "base")
    values = read_dims(config, dims=DIMS)
    halve_heads(config, values)
    config.only("num_groups", 1)
    tied = config.flag("tie_word_embeddings", True)
    absolute_positions(config)
    config.close(HARMLESS)
    narrow = values["d_embed"] != values["d_model"]
    width = "d_embed" if narrow else "d_model"
    if not narrow:
        del values["d_embed"]
    _, *rest = layer()
    mixed = slot("attention", "mixed", bias=True)
    projection = slot("linear", "linear", "embeddings_project.", kind="projection", bias=True)
    return encoder_model(
        config, name, task, values, (mixed, *rest), replace(
            AROUND, head=replace(GENERATOR, width=width)), tied=tied,
        embedding=tables(width=width), token={"d_model": width} if narrow else None,
        projection=(projection,) if narrow else (), checks=(Differs(
            "d_embed", "d_model", "an embedding as wide as the model is not projected"),))


def halve_heads(config: Config, values: dict[str, int]) -> None:
    """The number of heads that attend, and their width: half of what would split the width."""
    ratio = config.count_of("head_ratio", default=2)
    heads = max(values["n_heads"] // ratio, 1)
    if values["d_model"] % (2 * heads):
        raise config.error("hidden_size", f"{values['d_model']} is not a multiple of {2 * heads}, "
                           "twice the heads that attend")
    values["n_heads"], values["d_head"] = heads, values["d_model"] // (2 * heads)
