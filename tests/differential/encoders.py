"""What drawings of encoders share."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def encoder(draw: Draw, *classes: str) -> Config:
    """BERT's keys: heads that split the width, a few of them left out, tied or not."""
    n_heads = draw.one_of(1, 2, 3, 4, 6)
    config: Config = {
        "architectures": [draw.one_of(*classes)], "vocab_size": draw.size(2),
        "hidden_size": n_heads * draw.size(2), "num_attention_heads": n_heads,
        "num_hidden_layers": draw.depth(4)}
    draw.maybe(config, intermediate_size=draw.size(3), max_position_embeddings=draw.size(),
               type_vocab_size=draw.one_of(1, 2, 3), tie_word_embeddings=draw.flag(),
               layer_norm_eps=1e-5)
    if draw.between(1, 12) == 1:
        del config["vocab_size"]
    return config


def decoder_too(draw: Draw, config: Config) -> Config:
    """The same, perhaps used as a decoder: that changes no weight."""
    draw.maybe(config, is_decoder=draw.flag(), position_embedding_type="absolute",
               add_cross_attention=False)
    return config
