"""EuroBERT."""

from __future__ import annotations

from tests.differential.decoders import all_heads, decoder
from tests.differential.draw import Config, Draw


def eurobert(draw: Draw) -> Config:
    """With the head that fills masks or without; biases, one of the head among them."""
    config = decoder(draw, "EuroBert")
    if config["architectures"] == ["EuroBertForCausalLM"]:
        config["architectures"] = ["EuroBertForMaskedLM"]
    draw.maybe(config, attention_bias=draw.flag(), mlp_bias=draw.flag(), rms_norm_eps=1e-6,
               classifier_pooling="mean")
    if "head_dim" not in config:
        draw.maybe(config, head_dim=None)
    return all_heads(draw, config)


DRAWN = {"eurobert": eurobert}
