"""JetMoE."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def jetmoe(draw: Draw) -> Config:
    """Experts in attention and after it; the width of a head under two names."""
    number = draw.prime(31)
    config: Config = {
        "architectures": ["JetMoe" + draw.one_of("ForCausalLM", "ForCausalLM", "Model")],
        "vocab_size": draw.size(2), "num_hidden_layers": draw.depth(),
        "hidden_size": draw.size(2), "intermediate_size": draw.size(3)}
    draw.maybe(config, num_key_value_heads=draw.between(1, 5), tie_word_embeddings=draw.flag(),
               **{draw.one_of("kv_channels", "head_dim"): draw.size(2)})
    if draw.flag():
        config |= {"num_local_experts": number, "num_experts_per_tok": draw.between(1, number)}
    return config


DRAWN = {"jetmoe": jetmoe}
