"""ESM C."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.encoders import encoder


def esmc(draw: Draw) -> Config:
    """Biases of attention and of the FFN."""
    config = encoder(draw, "EsmcModel", "EsmcForMaskedLM")
    for key in ("tie_word_embeddings", "type_vocab_size", "layer_norm_eps"):
        config.pop(key, None)
    draw.maybe(config, attention_bias=draw.flag(), mlp_bias=draw.flag(),
               tie_word_embeddings=False, num_key_value_heads=draw.one_of(
                   None, config["num_attention_heads"]))
    return config


DRAWN = {"esmc": esmc}
