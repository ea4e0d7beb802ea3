"""DistilBERT."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.encoders import encoder


def distilbert(draw: Draw) -> Config:
    """Its own keys, or those that other models have."""
    config = encoder(draw, "DistilBertModel", "DistilBertForMaskedLM")
    config.pop("type_vocab_size", None)
    config.pop("layer_norm_eps", None)
    if "intermediate_size" in config:
        config["hidden_dim"] = config.pop("intermediate_size")
    for own, other in (("dim", "hidden_size"), ("n_heads", "num_attention_heads"),
                       ("n_layers", "num_hidden_layers")):
        if draw.flag():
            config[own] = config.pop(other)
    draw.maybe(config, sinusoidal_pos_embds=draw.flag(), tie_weights_=True)
    return config


DRAWN = {"distilbert": distilbert}
