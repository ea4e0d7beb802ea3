"""Mistral, Ministral and Ministral 3."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def _drawn(draw: Draw, stem: str) -> Config:
    n_heads, n_kv = draw.heads()
    return {"architectures": [stem + draw.one_of("ForCausalLM", "ForCausalLM", "Model")],
            "vocab_size": draw.size(2), "num_hidden_layers": draw.depth(),
            "hidden_size": draw.size(n_heads), "num_attention_heads": n_heads,
            "num_key_value_heads": n_kv, "head_dim": draw.size(2),
            "intermediate_size": draw.size(3), "pad_token_id": 0}


def mistral(draw: Draw) -> Config:
    """Heads that split the width or not; the usual eight key-value heads where none are told."""
    config = _drawn(draw, "Mistral")
    if draw.flag():
        n_heads = 8 * draw.one_of(1, 2, 3)
        config |= {"num_attention_heads": n_heads, "hidden_size": draw.size(2 * n_heads),
                   "head_dim": None}
        config.pop(draw.one_of("num_key_value_heads", "head_dim"))
        if config.get("num_key_value_heads"):
            config["num_key_value_heads"] = draw.one_of(2, 4, 8)
    draw.maybe(config, tie_word_embeddings=draw.flag(), sliding_window=draw.one_of(None, 7))
    return config


def ministral(draw: Draw) -> Config:
    """The same with a list of kinds of attention, which changes no weight."""
    config = _drawn(draw, "Ministral")
    kinds = draw.pattern(("full_attention", "sliding_attention"), config["num_hidden_layers"])
    draw.maybe(config, tie_word_embeddings=draw.flag(), layer_types=kinds)
    return config


def ministral3(draw: Draw) -> Config:
    """A head width of 128 where none is told."""
    config = _drawn(draw, "Ministral3")
    if draw.flag():
        config.pop("head_dim")
    draw.maybe(config, tie_word_embeddings=draw.flag())
    return config


DRAWN = {"mistral": mistral, "ministral": ministral, "ministral3": ministral3}
