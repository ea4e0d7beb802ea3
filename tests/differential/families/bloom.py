"""BLOOM."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def bloom(draw: Draw) -> Config:
    """Sizes under all of their names, tied or not."""
    n_heads = draw.one_of(1, 2, 3, 4, 8)
    config: Config = {
        "architectures": [draw.one_of("BloomForCausalLM", "BloomForCausalLM", "BloomModel")],
        draw.one_of("hidden_size", "n_embed"): n_heads * draw.size(1),
        draw.one_of("n_head", "num_attention_heads"): n_heads}
    draw.maybe(config, vocab_size=draw.size(3), tie_word_embeddings=draw.flag(),
               apply_residual_connection_post_layernorm=draw.flag(), slow_but_exact=draw.flag(),
               pretraining_tp=2, seq_length=2048, n_inner=None)
    draw.maybe(config, **{draw.one_of("n_layer", "num_hidden_layers"): draw.depth()})
    return config


DRAWN = {"bloom": bloom}
