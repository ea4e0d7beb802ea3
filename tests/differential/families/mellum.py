"""Mellum 2."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def mellum(draw: Draw) -> Config:
    """Dense and sparse layers in any order, sparse alone where there is no list."""
    n_heads, n_kv = draw.heads()
    depth, experts = draw.depth(), draw.prime(31)
    config: Config = {
        "architectures": [draw.one_of("MellumForCausalLM", "MellumForCausalLM", "MellumModel")],
        "vocab_size": draw.size(2), "num_hidden_layers": depth, "hidden_size": draw.size(2),
        "num_attention_heads": n_heads, "num_key_value_heads": n_kv,
        "intermediate_size": draw.size(3), "moe_intermediate_size": draw.size(5)}
    draw.maybe(config, head_dim=draw.size(2), tie_word_embeddings=draw.flag(),
               attention_bias=draw.flag(), mlp_layer_types=draw.pattern(("dense", "sparse"), depth),
               num_mtp_layers=1)
    if draw.flag():
        config |= {draw.one_of("num_experts", "num_local_experts"): experts,
                   "num_experts_per_tok": draw.between(1, experts)}
    return config


DRAWN = {"mellum": mellum}
