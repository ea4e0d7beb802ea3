"""SqueezeBERT and RoCBert."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.encoders import decoder_too, encoder


def squeezebert(draw: Draw) -> Config:
    """Groups that split every width, stated or not."""
    config = encoder(draw, "SqueezeBertModel", "SqueezeBertForMaskedLM")
    config["hidden_size"] = draw.size(12)
    config |= {"num_attention_heads": draw.one_of(1, 2, 4),
               "embedding_size": config["hidden_size"], "intermediate_size": draw.size(12)}
    groups = [draw.one_of(1, 2, 3, 4, 6) for _ in range(6)]
    draw.maybe(config, q_groups=groups[0], k_groups=groups[1], v_groups=groups[2],
               post_attention_groups=groups[3], intermediate_groups=groups[4],
               output_groups=groups[5])
    return config


def roc_bert(draw: Draw) -> Config:
    """Sounds and shapes, joined or not."""
    config = encoder(draw, "RoCBertModel", "RoCBertForMaskedLM", "RoCBertForCausalLM")
    draw.maybe(config, pronunciation_embed_dim=draw.size(), pronunciation_vocab_size=draw.size(),
               shape_embed_dim=draw.size(), shape_vocab_size=draw.size(),
               enable_pronunciation=draw.flag(), enable_shape=draw.flag(),
               concat_input=draw.flag())
    return decoder_too(draw, config)


DRAWN = {"squeezebert": squeezebert, "roc_bert": roc_bert}
