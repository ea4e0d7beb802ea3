"""BigBird-PEGASUS: BART's layers with sparse attention in the encoder, which costs the same.

The decoder alone does not share its head, as transformers builds it.

Source: Zaheer et al. 2020, arXiv:2007.14062; transformers, models/bigbird_pegasus.
"""

from __future__ import annotations

from symparam.descriptions.config import Config
from symparam.descriptions.families.bart import NAMES, TAILS, Traits, build_like, dims
from symparam.layout import entries
from symparam.model import Model

MODEL_TYPES = ("bigbird_pegasus",)
TRAITS = Traits(stem="BigBirdPegasus", tails=TAILS, dims=dims(96103, 4096, 1024, 16, 16, 4096),
                extra_rows=0, ties_decoder=False, bias_key="use_bias", harmless=frozenset("""
                    attention_type block_size num_random_blocks
                """.split()),
                names=(*entries("encoder.attention", Q="self.query", K="self.key", V="self.value",
                                O="output"), *NAMES))


def build(config: Config, name: str) -> Model:
    """A BigBird-PEGASUS from its configuration."""
    return build_like(config, name, TRAITS)
