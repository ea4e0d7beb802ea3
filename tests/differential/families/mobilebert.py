"""MobileBERT."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.encoders import encoder


def mobilebert(draw: Draw) -> Config:
    """Bottlenecks of every kind or none, one feed-forward network or more."""
    config = encoder(draw, "MobileBertModel", "MobileBertForMaskedLM")
    heads = config["num_attention_heads"]
    config |= {"embedding_size": draw.prime(config["hidden_size"] - 1),
               "intra_bottleneck_size": heads * draw.prime()}
    draw.maybe(config, use_bottleneck=draw.flag(), use_bottleneck_attention=draw.flag(),
               key_query_shared_bottleneck=draw.flag(), trigram_input=draw.flag(),
               num_feedforward_networks=draw.between(1, 4), classifier_activation=draw.flag(),
               normalization_type=draw.one_of("no_norm", "layer_norm"))
    if config["hidden_size"] < 4:
        config |= {"hidden_size": 4 * heads, "embedding_size": 3}
    bottled = config.get("use_bottleneck", True)
    draw.maybe(config, true_hidden_size=config[
        "intra_bottleneck_size" if bottled else "hidden_size"])
    return config


DRAWN = {"mobilebert": mobilebert}
