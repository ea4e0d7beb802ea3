"""ESM."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.encoders import encoder


def esm(draw: Draw) -> Config:
    """Rotary positions or a table, a norm of the embedding or none."""
    config = encoder(draw, "EsmModel", "EsmForMaskedLM")
    config.pop("type_vocab_size", None)
    config["vocab_size"] = draw.size(2)
    draw.maybe(config, position_embedding_type=draw.one_of("absolute", "rotary", "rotary"),
               emb_layer_norm_before=draw.one_of(True, False, None), is_folding_model=False,
               token_dropout=draw.flag(), esmfold_config=None, vocab_list=None,
               is_decoder=draw.flag(), pad_token_id=1)
    return config


DRAWN = {"esm": esm}
