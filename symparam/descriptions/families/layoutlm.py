"""LayoutLM: BERT with tables for where a word stands on the page and how large it is.

Its masked-LM class keeps the pooler.

Source: Xu et al. 2019, arXiv:1912.13318; transformers, models/layoutlm.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.encoder import (
    HARMLESS,
    Around,
    absolute_positions,
    encoder_model,
    layer,
    read_dims,
    tables,
)
from symparam.descriptions.config import Config
from symparam.model import Model

MODEL_TYPES = ("layoutlm",)
CLASSES = {"LayoutLMModel": "base", "LayoutLMForMaskedLM": "mlm"}
AROUND = Around(top="layoutlm.", pooler_stays=True)


def build(config: Config, name: str) -> Model:
    """A LayoutLM from its configuration; the encoder with pooler where no class is named."""
    task = config.task(CLASSES, "base")
    values = read_dims(config) | {
        "n_page": config.count_of("max_2d_position_embeddings", default=1024)}
    tied = config.flag("tie_word_embeddings", True)
    absolute_positions(config)
    config.close(HARMLESS)
    page = tuple(slot(f"page.{each}", "learned", f"{each}_position_embeddings.",
                      {"n_ctx": "n_page"}, kind="positions") for each in "xyhw")
    return encoder_model(config, name, task, values, layer(), AROUND, tied=tied,
                         embedding=(*tables(), *page))
