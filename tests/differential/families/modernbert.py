"""ModernBERT and its decoder."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.encoders import encoder


def common(draw: Draw, *classes: str) -> Config:
    """Biases of every kind, layer types or a rule for them."""
    config = encoder(draw, *classes)
    for key in ("type_vocab_size", "layer_norm_eps"):
        config.pop(key, None)
    config["pad_token_id"] = 0
    draw.maybe(config, attention_bias=draw.flag(), mlp_bias=draw.flag(), norm_bias=draw.flag(),
               decoder_bias=draw.flag(), classifier_bias=draw.flag(), norm_eps=1e-6,
               global_attn_every_n_layers=2, layer_types=draw.pattern(
                   ("full_attention", "sliding_attention"), config["num_hidden_layers"]))
    return config


def modernbert(draw: Draw) -> Config:
    """The encoder."""
    return common(draw, "ModernBertModel", "ModernBertForMaskedLM")


def modernbert_decoder(draw: Draw) -> Config:
    """The decoder."""
    return common(draw, "ModernBertDecoderModel", "ModernBertDecoderForCausalLM")


DRAWN = {"modernbert": modernbert, "modernbert-decoder": modernbert_decoder}
