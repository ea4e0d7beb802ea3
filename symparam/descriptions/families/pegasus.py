"""PEGASUS: BART's layers with computed positions that are stored, and norms after the last layer.

Source: Zhang et al. 2019, arXiv:1912.08777; transformers, models/pegasus.
"""

from __future__ import annotations

from symparam.descriptions.config import Config
from symparam.descriptions.families.bart import TAILS, Traits, build_like, dims
from symparam.model import Model

MODEL_TYPES = ("pegasus",)
TRAITS = Traits(stem="Pegasus", tails=TAILS, dims=dims(50265, 1024, 1024, 12, 16, 4096),
                positions="stored", input_norm=False, final_norm=True)


def build(config: Config, name: str) -> Model:
    """A PEGASUS from its configuration."""
    return build_like(config, name, TRAITS)
