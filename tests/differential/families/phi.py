"""Phi 1 to Phi 4."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def _drawn(draw: Draw, stem: str) -> Config:
    n_heads, n_kv = draw.heads()
    config: Config = {
        "architectures": [stem + draw.one_of("ForCausalLM", "ForCausalLM", "Model")],
        "vocab_size": draw.size(2), "num_hidden_layers": draw.depth(),
        "hidden_size": draw.size(4 * n_heads), "num_attention_heads": n_heads,
        "intermediate_size": draw.size(3), "pad_token_id": 0, "bos_token_id": 0,
        "eos_token_id": 0}
    draw.maybe(config, num_key_value_heads=draw.one_of(n_kv, n_kv, None),
               tie_word_embeddings=draw.flag())
    return config


def phi(draw: Draw) -> Config:
    """Biases everywhere, norms of heads or none."""
    config = _drawn(draw, "Phi")
    split = config["hidden_size"] // config["num_attention_heads"]
    draw.maybe(config, qk_layernorm=draw.flag())
    draw.maybe(config, head_dim=split if config.get("qk_layernorm") else draw.size(4))
    return config


def phi3(draw: Draw) -> Config:
    """Fused matrices, no biases."""
    config = _drawn(draw, "Phi3")
    draw.maybe(config, attention_bias=False, head_dim=draw.size(4))
    return config


DRAWN = {"phi": phi, "phi3": phi3}
