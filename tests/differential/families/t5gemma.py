"""T5Gemma."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def side(draw: Draw) -> Config:
    """A side; grouped queries, with biases or without."""
    n_heads, n_kv = draw.heads()
    config: Config = {
        "model_type": "t5_gemma_module", "vocab_size": draw.size(),
        "num_hidden_layers": draw.depth(), "hidden_size": draw.size(n_heads),
        "num_attention_heads": n_heads, "num_key_value_heads": n_kv, "head_dim": draw.size(2)}
    draw.maybe(config, intermediate_size=draw.size(3), attention_bias=draw.flag())
    return config


def t5gemma(draw: Draw) -> Config:
    """Sides alike, alike in part, or different; the encoder alone."""
    tail = draw.one_of("ForConditionalGeneration", "Model", "EncoderModel")
    encoder, decoder = side(draw), side(draw)
    shared = draw.pattern(list(encoder), draw.between(0, len(encoder)))
    if not {"num_attention_heads", "num_key_value_heads", "hidden_size"} & set(shared):
        decoder |= {key: encoder[key] for key in shared}
    elif draw.flag():
        decoder = {**encoder, "num_hidden_layers": draw.depth()}
    config = {"architectures": ["T5Gemma" + tail], "encoder": encoder, "decoder": decoder}
    if tail == "EncoderModel":
        config["is_encoder_decoder"] = False
    draw.maybe(config, tie_word_embeddings=draw.flag())
    return config


DRAWN = {"t5gemma": t5gemma}
