"""Falcon."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def falcon(draw: Draw) -> Config:
    """Both architectures, key-value heads, biases, the numbers of norms, positions, tied or not."""
    n_heads, n_kv = draw.heads()
    config: Config = {
        "architectures": [draw.one_of("FalconForCausalLM", "FalconForCausalLM",
                                      "FalconModel")],
        "vocab_size": draw.size(3), "num_hidden_layers": draw.depth(),
        draw.one_of("hidden_size", "n_embed"): n_heads * draw.size(2),
        "num_attention_heads": n_heads}
    draw.maybe(config, num_kv_heads=draw.one_of(n_kv, n_kv, None),
               ffn_hidden_size=draw.one_of(draw.size(2), draw.size(2), None),
               new_decoder_architecture=draw.flag(), multi_query=draw.flag(),
               parallel_attn=draw.flag(), bias=draw.flag(), alibi=draw.flag(),
               num_ln_in_parallel_attn=draw.one_of(None, 1, 2), tie_word_embeddings=draw.flag(),
               rope_theta=10000.0)
    return config


DRAWN = {"falcon": falcon}
