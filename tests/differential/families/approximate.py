"""BERT for generation, FNet, YOSO, MRA and TAPAS."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.encoders import decoder_too, encoder


def bert_generation(draw: Draw) -> Config:
    """Encoder or decoder."""
    config = encoder(draw, "BertGenerationEncoder", "BertGenerationDecoder")
    config.pop("type_vocab_size", None)
    return decoder_too(draw, config)


def fnet(draw: Draw) -> Config:
    """No heads."""
    config = encoder(draw, "FNetModel", "FNetForMaskedLM")
    del config["num_attention_heads"]
    draw.maybe(config, use_tpu_fourier_optimizations=False, tpu_short_seq_length=8)
    return config


def yoso(draw: Draw) -> Config:
    """A convolution or none."""
    config = encoder(draw, "YosoModel", "YosoForMaskedLM")
    draw.maybe(config, conv_window=draw.one_of(3, 9, None), num_hash=8)
    return config


def mra(draw: Draw) -> Config:
    """Numbers of positions."""
    config = encoder(draw, "MraModel", "MraForMaskedLM")
    draw.maybe(config, block_per_row=2)
    return config


def tapas(draw: Draw) -> Config:
    """Any number of tables of segments."""
    config = encoder(draw, "TapasModel", "TapasForMaskedLM")
    config.pop("type_vocab_size", None)
    draw.maybe(config, type_vocab_sizes=[draw.size() for _ in range(draw.between(1, 5))])
    return decoder_too(draw, config)


DRAWN = {"bert-generation": bert_generation, "fnet": fnet, "yoso": yoso, "mra": mra,
         "tapas": tapas}
