"""Blenderbot: BART's layers, with a row of the position table for each position and no more.

Source: Roller et al. 2020, arXiv:2004.13637; transformers, models/blenderbot and
models/blenderbot_small.
"""

from __future__ import annotations

from symparam.descriptions.config import Config
from symparam.descriptions.families.bart import TAILS, Traits, build_like, dims
from symparam.model import Model

HARMLESS = frozenset({"do_blenderbot_90_layernorm", "layernorm_variant", "variant"})
FAMILIES = {
    "blenderbot": Traits(
        stem="Blenderbot", tails=TAILS, extra_rows=0, input_norm=False, final_norm=True,
        harmless=HARMLESS, dims=dims(8008, 128, 2560, 24, 32, 10240)
        | {"L_encoder": ("encoder_layers", "num_hidden_layers", 2)}),
    "blenderbot-small": Traits(
        stem="BlenderbotSmall", tails=TAILS, extra_rows=0, harmless=HARMLESS,
        dims=dims(50265, 512, 512, 8, 16, 2048)),
}
MODEL_TYPES = tuple(FAMILIES)


def build(config: Config, name: str) -> Model:
    """A Blenderbot, large or small, from its configuration."""
    return build_like(config, name, FAMILIES[config.model_type])
