"""ALBERT."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.encoders import encoder


def albert(draw: Draw) -> Config:
    """Groups and inner layers, or one shared layer."""
    config = encoder(draw, "AlbertModel", "AlbertForMaskedLM")
    draw.maybe(config, embedding_size=draw.size(), classifier_dropout_prob=0.1,
               num_hidden_groups=draw.between(1, config["num_hidden_layers"]),
               inner_group_num=draw.between(1, 3))
    return config


DRAWN = {"albert": albert}
