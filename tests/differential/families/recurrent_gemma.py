"""RecurrentGemma."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def recurrent_gemma(draw: Draw) -> Config:
    """Recurrent width, head width, key-value heads, patterns that repeat, biases, ties."""
    n_heads, n_kv = draw.heads()
    d_head = draw.size(4)
    config: Config = {
        "architectures": [draw.one_of("RecurrentGemmaForCausalLM", "RecurrentGemmaForCausalLM",
                                      "RecurrentGemmaModel")],
        "vocab_size": draw.size(2), "num_hidden_layers": draw.depth(7),
        "hidden_size": n_heads * d_head, "num_attention_heads": n_heads,
        "intermediate_size": draw.size(2)}
    draw.maybe(config, num_key_value_heads=draw.one_of(n_kv, None), head_dim=draw.size(4),
               lru_width=draw.one_of(None, draw.size(n_heads)), conv1d_width=draw.prime(11),
               block_types=draw.one_of(["recurrent"], ["attention", "recurrent"], ["attention"]),
               attention_bias=draw.flag(), tie_word_embeddings=draw.flag())
    return config


DRAWN = {"recurrent_gemma": recurrent_gemma}
