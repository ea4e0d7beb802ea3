"""Encoders and decoders of text that stand in other models: TrOCR's decoder, Jina Embeddings v3."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.encoders import encoder


def trocr(draw: Draw) -> Config:
    """Learned positions or computed ones, an encoder of another width or not."""
    heads = draw.one_of(1, 2, 3)
    config: Config = {"architectures": ["TrOCRForCausalLM"], "vocab_size": draw.size(2),
                      "d_model": heads * draw.size(2), "decoder_attention_heads": heads,
                      "decoder_layers": draw.depth()}
    draw.maybe(config, decoder_ffn_dim=draw.size(3), max_position_embeddings=draw.size(),
               use_learned_position_embeddings=draw.flag(), layernorm_embedding=draw.flag(),
               cross_attention_hidden_size=draw.one_of(None, draw.size(2)),
               tie_word_embeddings=draw.flag(), is_decoder=draw.flag())
    return config


def jina_embeddings_v3(draw: Draw) -> Config:
    """A head width of its own or not."""
    config = encoder(draw, "JinaEmbeddingsV3Model", "JinaEmbeddingsV3ForMaskedLM")
    draw.maybe(config, head_dim=draw.size(2))
    return config


DRAWN = {"trocr": trocr, "jina_embeddings_v3": jina_embeddings_v3}
