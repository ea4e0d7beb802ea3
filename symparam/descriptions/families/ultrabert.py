"""UltraBERT: Llama's layers as an encoder, and a head of two narrow matrices. Rows traced.

Source: transformers, models/ultrabert.
"""

from __future__ import annotations

from symparam.descriptions.assembling.traced import traced
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.model import Model

MODEL_TYPES = ("ultrabert",)
CLASSES = {"UltrabertForMaskedLM": "mlm", "UltrabertModel": "base"}
HARMLESS = NO_TABLE | frozenset("""
    attention_windows classifier_pooling layer_types sliding_window
""".split())


def build(config: Config, name: str) -> Model:
    """An UltraBERT from its configuration."""
    return traced(config, name, CLASSES, "base", HARMLESS)
