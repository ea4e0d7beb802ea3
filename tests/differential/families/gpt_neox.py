"""GPT-NeoX and GPT-NeoX Japanese."""

from __future__ import annotations

from tests.differential.draw import Config, Draw


def _sizes(draw: Draw) -> Config:
    n_heads = draw.one_of(1, 2, 3, 4, 5)
    return {"num_attention_heads": n_heads, "hidden_size": n_heads * draw.size(2),
            "vocab_size": draw.size(2), "num_hidden_layers": draw.depth()}


def _rope(draw: Draw, config: Config) -> None:
    """Rotary positions as older and newer files write them."""
    if draw.flag():
        config |= {"rotary_pct": draw.one_of(0.25, 0.5, 1.0), "rotary_emb_base": 10000}
    else:
        draw.maybe(config, rope_parameters={"rope_type": "default", "rope_theta": 10000.0,
                                            "partial_rotary_factor": draw.one_of(0.5, 1.0)})


def gpt_neox(draw: Draw) -> Config:
    """Biases of the attention, parallel or not, tied or not."""
    config = {"architectures": [draw.one_of("GPTNeoXForCausalLM", "GPTNeoXForCausalLM",
                                            "GPTNeoXModel")],
              "intermediate_size": draw.size(3), **_sizes(draw)}
    _rope(draw, config)
    draw.maybe(config, attention_bias=draw.flag(), use_parallel_residual=draw.flag(),
               tie_word_embeddings=draw.flag(), hidden_act="gelu", hidden_dropout=0.1,
               max_position_embeddings=draw.size(5), classifier_dropout=0.0)
    if draw.between(0, 5) == 0:
        del config["intermediate_size"]
    return config


def gpt_neox_japanese(draw: Draw) -> Config:
    """One layer or more, the last with a bias; the FFN's multiple."""
    config = {"architectures": [draw.one_of("GPTNeoXJapaneseForCausalLM",
                                            "GPTNeoXJapaneseForCausalLM",
                                            "GPTNeoXJapaneseModel")], **_sizes(draw)}
    _rope(draw, config)
    draw.maybe(config, intermediate_multiple_size=draw.one_of(1, 2, 3, 4, 7),
               tie_word_embeddings=draw.flag(), hidden_dropout=0.1, attention_dropout=0.1,
               max_position_embeddings=draw.size(5))
    return config


DRAWN = {"gpt_neox": gpt_neox, "gpt_neox_japanese": gpt_neox_japanese}
