"""FSMT."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.families.bart import sizes


def fsmt(draw: Draw) -> Config:
    """One vocabulary or two, another padding token."""
    config = {"architectures": ["FSMT" + draw.one_of("ForConditionalGeneration", "Model")],
              **sizes(draw)}
    target = config.pop("vocab_size")
    config["tgt_vocab_size"] = target
    draw.maybe(config, src_vocab_size=draw.one_of(target, draw.size()))
    if draw.flag():
        config["pad_token_id"] = draw.between(0, 2)
    return config


DRAWN = {"fsmt": fsmt}
