"""ZAYA1: attention in a compressed space, experts chosen by a deep router. Rows traced.

Source: transformers, models/zaya.
"""

from __future__ import annotations

from symparam.descriptions.assembling.traced import traced
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.model import Model

MODEL_TYPES = ("zaya",)
CLASSES = {"ZayaForCausalLM": "causal", "ZayaModel": "base"}
HARMLESS = NO_TABLE | frozenset({"layer_types", "sliding_window"})


def build(config: Config, name: str) -> Model:
    """A ZAYA1 from its configuration."""
    return traced(config, name, CLASSES, "causal", HARMLESS)
