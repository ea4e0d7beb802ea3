"""NeoMME: text and patches of pages through one encoder, token tables of a low rank. Rows traced.

Source: transformers, models/neomme.
"""

from __future__ import annotations

from symparam.descriptions.assembling.traced import traced
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.model import Model

MODEL_TYPES = ("neomme",)
CLASSES = {"NeoMMEForMaskedLM": "mlm", "NeoMMEModel": "base"}
#: Tokens, windows, and what another head puts out.
HARMLESS = NO_TABLE | frozenset("""
    document_token_id embedding_dim image_token_id layer_types per_layer_config sliding_window
""".split())


def build(config: Config, name: str) -> Model:
    """A NeoMME from its configuration."""
    return traced(config, name, CLASSES, "base", HARMLESS)
