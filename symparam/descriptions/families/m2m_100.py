"""M2M-100 and NLLB: BART's layers with positions that nothing stores, norms after the last layer.

Source: Fan et al. 2020, arXiv:2010.11125; NLLB team 2022, arXiv:2207.04672; transformers,
models/m2m_100.
"""

from __future__ import annotations

from symparam.descriptions.config import Config
from symparam.descriptions.families.bart import TAILS, Traits, build_like, dims
from symparam.model import Model

MODEL_TYPES = ("m2m_100",)
TRAITS = Traits(stem="M2M100", dims=dims(128112, 1024, 1024, 12, 16, 4096), positions="computed",
                input_norm=False, final_norm=True, logits_bias=False,
                tails={tail: task for tail, task in TAILS.items() if task != "causal"})


def build(config: Config, name: str) -> Model:
    """An M2M-100 from its configuration."""
    return build_like(config, name, TRAITS)
