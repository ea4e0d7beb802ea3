"""ERNIE 1 to 3: BERT, with a table of tasks in later versions.

Source: Sun et al. 2019, arXiv:1907.12412; Sun et al. 2021, arXiv:2107.02137; transformers,
models/ernie.
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

MODEL_TYPES = ("ernie",)
CLASSES = {"ErnieModel": "base", "ErnieForMaskedLM": "mlm", "ErnieForCausalLM": "causal"}


def build(config: Config, name: str) -> Model:
    """An ERNIE from its configuration; the encoder with pooler where no class is named."""
    task = config.task(CLASSES, "base")
    values = read_dims(config)
    n_tasks = config.number("task_type_vocab_size", 3)
    tasks = config.flag("use_task_id", False)
    tied = config.flag("tie_word_embeddings", True)
    absolute_positions(config)
    config.close(HARMLESS)
    beside = tables()
    if tasks:
        values["n_tasks"] = n_tasks
        beside += (slot("tasks", "segments", "task_type_embeddings.", {"n_types": "n_tasks"},
                        kind="segments"),)
    return encoder_model(config, name, task, values, layer(), Around(top="ernie."), tied=tied,
                         embedding=beside)
