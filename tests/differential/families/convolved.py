"""ConvBERT and X-MOD."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.encoders import decoder_too, encoder


def convbert(draw: Draw) -> Config:
    """Fewer heads that attend, filters of any length."""
    config = encoder(draw, "ConvBertModel", "ConvBertForMaskedLM")
    ratio = draw.one_of(1, 2, 3, 7)
    heads = draw.one_of(1, 2, 4)
    config |= {"num_attention_heads": heads * ratio, "head_ratio": ratio,
               "hidden_size": heads * ratio * draw.size(2)}
    if draw.flag():
        config |= {"num_attention_heads": draw.one_of(1, 2), "hidden_size": draw.size(4)}
    draw.maybe(config, conv_kernel_size=draw.one_of(3, 5, 11), num_groups=1)
    config["embedding_size"] = draw.one_of(draw.size(), config["hidden_size"])
    if config["hidden_size"] != 768:
        draw.maybe(config, embedding_size=draw.size())
    return config


def xmod(draw: Draw) -> Config:
    """Languages, a norm of the adapters, norms before each part."""
    config = encoder(draw, "XmodModel", "XmodForMaskedLM", "XmodForCausalLM")
    draw.maybe(config, languages=draw.one_of(["en_XX"], ["en_XX", "de_DE", "zh-CN"]),
               adapter_reduction_factor=draw.one_of(2, 3, 4), adapter_layer_norm=draw.flag(),
               adapter_reuse_layer_norm=draw.flag(), pre_norm=draw.flag(),
               ln_before_adapter=draw.flag())
    return decoder_too(draw, config)


DRAWN = {"convbert": convbert, "xmod": xmod}
