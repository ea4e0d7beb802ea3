"""GPT-Neo."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def gpt_neo(draw: Draw) -> Config:
    """Kinds of attention in any order, the inner width or a rule, tied or not."""
    n_heads, depth = draw.one_of(1, 2, 3, 5), draw.depth()
    kinds = draw.pattern(("global", "local"), depth)
    config: Config = {
        "architectures": [draw.one_of("GPTNeoForCausalLM", "GPTNeoForCausalLM",
                                      "GPTNeoModel")],
        "hidden_size": n_heads * draw.size(1), "vocab_size": draw.size(3),
        draw.one_of("num_heads", "num_attention_heads"): n_heads,
        draw.one_of("num_layers", "num_hidden_layers"): depth,
        "attention_types": [[kinds, 1]], "max_position_embeddings": draw.size(2)}
    if draw.between(0, 7) == 0:
        config |= {"num_layers": 24, "attention_types": None}
        config.pop("num_hidden_layers", None)
    draw.maybe(config, intermediate_size=draw.one_of(draw.size(5), draw.size(5), None),
               tie_word_embeddings=draw.flag(), window_size=draw.size(1), embed_dropout=0.1,
               resid_dropout=0.1, attention_dropout=0.1)
    return config


DRAWN = {"gpt_neo": gpt_neo}
