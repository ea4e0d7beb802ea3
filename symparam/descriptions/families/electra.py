"""ELECTRA: BERT's layers behind an embedding of a width of its own, a generator or discriminator.

The embedding is projected only where its width is not the model's. The generator predicts
masked tokens; the discriminator (ElectraForPreTraining) gives each token one score.

Source: Clark et al. 2020, arXiv:2003.10555; transformers, models/electra.
"""

from __future__ import annotations

from dataclasses import replace

from symparam.constraints import Differs
from symparam.dataclass import dataclass
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
from symparam.descriptions.harmless import SUMMARY
from symparam.layout import Entry
from symparam.model import Model
from symparam.stack import Stack

MODEL_TYPES = ("electra",)
CLASSES = {"ElectraModel": "base", "ElectraForMaskedLM": "mlm", "ElectraForCausalLM": "causal"}
DIMS = ENCODER_DIMS | {
    "d_model": ("hidden_size", 256), "n_heads": ("num_attention_heads", 4),
    "d_ff": ("intermediate_size", 1024), "d_embed": ("embedding_size", 128),
}
MORE_HARMLESS = SUMMARY | {"summary_last_dropout"}
AROUND = Around(top="electra.", pooler=None)
GENERATOR = Head(
    transform="generator_predictions.dense.", norm="generator_predictions.LayerNorm.",
    decoder="generator_lm_head.", bias=None, component="lm")


@dataclass(frozen=True)
class Discriminator:
    """A square layer and a score for each token."""

    where: str = "discriminator_predictions."

    def stack(self, tied: bool) -> Stack:
        """The head's slots."""
        scores = slot("scores", "linear", f"{self.where}dense_prediction.", bias=True)
        return Stack("discriminator", (slot("transform", "mlm-transform", self.where), scores))

    def names(self, tied: bool) -> list[Entry]:
        """The names that are not those of its parts: none."""
        return []


def build(config: Config, name: str) -> Model:
    """An ELECTRA from its configuration; the encoder where no class is named."""
    scored = config.asked is None and config.raw("architectures", None) == ["ElectraForPreTraining"]
    task = "discriminator" if scored else config.task(CLASSES, "base")
    values = read_dims(config, dims=DIMS) | ({"n_labels": 1} if scored else {})
    tied = config.flag("tie_word_embeddings", True)
    absolute_positions(config)
    config.close(HARMLESS | MORE_HARMLESS)
    narrow = values["d_embed"] != values["d_model"]
    width = "d_embed" if narrow else "d_model"
    around = replace(AROUND, head=Discriminator() if scored else replace(GENERATOR, width=width))
    if not narrow:
        del values["d_embed"]
        return encoder_model(config, name, task, values, layer(), around, tied=tied,
                             embedding=tables())
    projection = slot("linear", "linear", "embeddings_project.", kind="projection", bias=True)
    return encoder_model(
        config, name, task, values, layer(), around, tied=tied, embedding=tables(width=width),
        token={"d_model": width}, projection=(projection,), checks=(Differs(
            "d_embed", "d_model", "an embedding as wide as the model is not projected"),))
