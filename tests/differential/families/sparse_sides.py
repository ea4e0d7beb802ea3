"""Encoder-decoders with experts or global tokens: Switch Transformer, NLLB-MoE, PEGASUS-X."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.families import bart, t5


def switch_transformers(draw: Draw) -> Config:
    """Sparse layers counted, or each so many-th; one side alone; tied or not."""
    config = {"architectures": ["SwitchTransformers" + draw.one_of(
        "ForConditionalGeneration", "ForConditionalGeneration", "Model", "EncoderModel")],
        **t5.sizes(draw)}
    draw.maybe(config, num_sparse_encoder_layers=draw.between(0, 4),
               num_sparse_decoder_layers=draw.between(0, 4), num_experts=draw.prime(13),
               router_bias=draw.flag(), tie_word_embeddings=draw.flag())
    if draw.flag():
        draw.maybe(config, encoder_sparse_step=draw.between(0, 3),
                   decoder_sparse_step=draw.between(0, 3))
    return config


def nllb_moe(draw: Draw) -> Config:
    """Every so many-th layer sparse on each side, or none."""
    config = bart.like_bart("NllbMoe")(draw)
    config["num_experts"] = draw.prime(13)
    draw.maybe(config, encoder_sparse_step=draw.between(0, 3),
               decoder_sparse_step=draw.between(0, 3), router_bias=draw.flag())
    return config


def pegasus_x(draw: Draw) -> Config:
    """Global tokens."""
    config = bart.like_bart("PegasusX")(draw)
    draw.maybe(config, num_global_tokens=draw.prime(), block_size=8)
    return config


DRAWN = {"switch_transformers": switch_transformers, "nllb-moe": nllb_moe, "pegasus_x": pegasus_x}
