"""OLMo Hybrid."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def olmo_hybrid(draw: Draw) -> Config:
    """Sizes of the linear layers given, null or missing; patterns, biases, ties."""
    n_heads, n_kv = draw.heads()
    d_head, depth = draw.size(2), draw.between(2, 9)
    config: Config = {
        "architectures": [draw.one_of("OlmoHybridForCausalLM", "OlmoHybridForCausalLM",
                                      "OlmoHybridModel")],
        "vocab_size": draw.size(), "num_hidden_layers": depth, "hidden_size": n_heads * d_head,
        "num_attention_heads": n_heads, "intermediate_size": draw.size(), "pad_token_id": 1}
    kinds = ["linear_attention", "full_attention"]
    draw.maybe(config, num_key_value_heads=draw.one_of(n_kv, None), head_dim=draw.size(2),
               attention_bias=draw.flag(), tie_word_embeddings=draw.flag(),
               layer_types=draw.one_of(None, kinds + draw.pattern(kinds, depth - 2)),
               linear_num_key_heads=draw.one_of(None, draw.between(1, 4)),
               linear_num_value_heads=draw.one_of(None, draw.between(4, 6)),
               linear_key_head_dim=draw.one_of(None, draw.size()),
               linear_value_head_dim=draw.one_of(None, draw.size()),
               linear_conv_kernel_dim=draw.prime(11))
    return config


DRAWN = {"olmo_hybrid": olmo_hybrid}
