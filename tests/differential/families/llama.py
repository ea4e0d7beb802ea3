"""LLaMA."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def llama(draw: Draw) -> Config:
    """Grouped queries, biases, a head width of its own, tied or not."""
    n_heads, n_kv = draw.heads()
    d_head = draw.size(2)
    config: Config = {
        "architectures": [draw.one_of("LlamaForCausalLM", "LlamaForCausalLM", "LlamaModel")],
        "vocab_size": draw.size(2), "num_hidden_layers": draw.depth(),
        "hidden_size": n_heads * d_head, "num_attention_heads": n_heads,
        "intermediate_size": draw.size(3)}
    if draw.flag():
        config |= {"hidden_size": draw.size(n_heads), "head_dim": d_head}
    draw.maybe(config, num_key_value_heads=draw.one_of(n_kv, n_kv, None),
               attention_bias=draw.flag(), mlp_bias=draw.flag(), tie_word_embeddings=draw.flag())
    return config


DRAWN = {"llama": llama}
