"""Longformer: RoBERTa with attention over a window, and further projections for global tokens.

Source: Beltagy et al. 2020, arXiv:2004.05150; transformers, models/longformer.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.encoder import (
    HARMLESS,
    LM_HEAD,
    Around,
    absolute_positions,
    encoder_model,
    layer,
    read_dims,
    tables,
)
from symparam.descriptions.assembling.windows import Sliding, with_windows
from symparam.descriptions.config import Config
from symparam.model import Model

MODEL_TYPES = ("longformer",)
CLASSES = {"LongformerModel": "base", "LongformerForMaskedLM": "mlm"}
MORE_HARMLESS = frozenset("""
    attention_mode attention_window ignore_attention_mask onnx_export
""".split())
SLIDING = Sliding(key="attention_window", default=512)


def build(config: Config, name: str) -> Model:
    """A Longformer from its configuration; the encoder with pooler where no class is named."""
    task = config.task(CLASSES, "base")
    values = read_dims(config)
    tied = config.flag("tie_word_embeddings", True)
    absolute_positions(config)
    config.close(HARMLESS | MORE_HARMLESS)
    beside = slot("global", "global-attention", kind="global-attention", bias=True)
    model = encoder_model(config, name, task, values, (*layer(), beside),
                          Around(top="longformer.", head=LM_HEAD), tied=tied, embedding=tables())
    return with_windows(model, config, SLIDING)
