"""RWKV-4."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def rwkv(draw: Draw) -> Config:
    """Both inner widths given, null or missing; tied or not."""
    config: Config = {
        "architectures": [draw.one_of("RwkvForCausalLM", "RwkvForCausalLM", "RwkvModel")],
        "vocab_size": draw.size(), "num_hidden_layers": draw.depth(), "hidden_size": draw.size()}
    draw.maybe(config, attention_hidden_size=draw.one_of(None, draw.size()),
               intermediate_size=draw.one_of(None, draw.size()), tie_word_embeddings=draw.flag(),
               context_length=draw.size())
    return config


DRAWN = {"rwkv": rwkv}
