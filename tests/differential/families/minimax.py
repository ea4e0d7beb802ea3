"""MiniMax-Text-01."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def minimax(draw: Draw) -> Config:
    """Both kinds of attention, head width given, null or missing, blocks of tokens."""
    n_heads, n_kv = draw.heads()
    d_head, depth = draw.size(2), draw.depth(7)
    config: Config = {
        "architectures": [draw.one_of("MiniMaxForCausalLM", "MiniMaxForCausalLM",
                                      "MiniMaxModel")],
        "vocab_size": draw.size(), "num_hidden_layers": depth, "hidden_size": n_heads * d_head,
        "num_attention_heads": n_heads, "num_key_value_heads": n_kv,
        "intermediate_size": draw.size(), "block_size": draw.prime(),
        draw.one_of("num_local_experts", "num_experts"): draw.between(3, 9)}
    kinds = ("linear_attention", "full_attention")
    draw.maybe(config, head_dim=draw.one_of(None, draw.size(2)), num_experts_per_tok=3,
               layer_types=draw.one_of(None, draw.pattern(kinds, depth)),
               tie_word_embeddings=draw.flag())
    return config


DRAWN = {"minimax": minimax}
