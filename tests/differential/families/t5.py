"""T5, mT5, UMT5 and LongT5. The head is drawn tied: transformers 5 builds no other."""

from __future__ import annotations

from tests.differential.draw import Config, Draw, Drawing

STEMS = {"t5": "T5", "mt5": "MT5", "umt5": "UMT5"}


def sizes(draw: Draw) -> Config:
    """Keys that every T5 has, some of them missing."""
    config: Config = {"vocab_size": draw.size(), "d_model": draw.size(2), "d_kv": draw.size(),
                      "num_layers": draw.depth()}
    draw.maybe(config, d_ff=draw.size(3), num_heads=draw.between(1, 9),
               num_decoder_layers=draw.one_of(draw.depth(), None),
               relative_attention_num_buckets=draw.size())
    return config


def t5(stem: str) -> Drawing:
    """Gated or not, as many decoder layers as encoder layers or another number, one side alone."""
    def drawing(draw: Draw) -> Config:
        tail = draw.one_of("ForConditionalGeneration", "ForConditionalGeneration", "Model",
                           "EncoderModel")
        config = {"architectures": [stem + tail], **sizes(draw)}
        draw.maybe(config, tie_word_embeddings=True,
                   feed_forward_proj=draw.one_of("relu", "gated-gelu", "gated-silu", "gelu"))
        return config
    return drawing


def longt5(draw: Draw) -> Config:
    """Local attention in the encoder, with tokens of blocks or without."""
    config = t5("LongT5")(draw)
    draw.maybe(config, encoder_attention_type=draw.one_of("local", "transient-global"))
    return config


DRAWN = {model_type: t5(stem) for model_type, stem in STEMS.items()} | {"longt5": longt5}
