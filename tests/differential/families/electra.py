"""ELECTRA."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.encoders import decoder_too, encoder


def electra(draw: Draw) -> Config:
    """Embeddings as wide as the model or not; generator or discriminator."""
    config = decoder_too(draw, encoder(draw, "ElectraModel", "ElectraForMaskedLM",
                                       "ElectraForCausalLM", "ElectraForPreTraining"))
    draw.maybe(config, embedding_size=draw.one_of(draw.size(), config["hidden_size"]),
               summary_type="first", summary_use_proj=draw.flag())
    return config


DRAWN = {"electra": electra}
